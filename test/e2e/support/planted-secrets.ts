/**
 * Secrets that are planted with a driver, and looked for wherever they must not be: histories,
 * Temporal's database, logs, Events, status, metrics. A virtual machine also prints them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../../../kube/client/client.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import { tokenIdOf } from '../../../activities/machine/bootstrap-token.ts';
import { createClass, createSecret } from './classes.ts';
import type { SecretObject } from './cluster.ts';
import type { CloudCase, RunningCloud } from './clouds/cloud-case.ts';
import { untilEvent } from './events.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, timeOutOnceBooted, untilGone, untilPhase } from './machines.ts';
import { Scenario } from './scenario.ts';
import { testStack } from './test-stack.ts';

const canary = 'canary-7f3a91-in-the-user-data';
const userData = `join <<BOOTSTRAP_TOKEN>> as <<MACHINE_NAME>> ${canary}`;
/** Shorter values, such as the name of a region, are no secrets. */
const shortestSecret = 12;
/** No secret: what is kept of a console has it. */
const lastWords = 'that is all that was printed';

export function describeSecrets({ provider, start }: CloudCase): void {
  describe(`secrets of ${provider}`, () => {
    let cloud: RunningCloud;
    let scenario: Scenario;

    beforeAll(async () => {
      cloud = await start();
      const workerEnv = (): Record<string, string> => cloud.envFor(cloud.upstream.origin);
      const flags = ['--log-level=trace'];
      scenario = new Scenario(`canary-${provider.toLowerCase()}`, { workerEnv, flags });
      await scenario.start();
      // The token goes when the Node has joined.
      const printed = [userData, ...Object.values(cloud.secret)].flatMap(spellingsOf).join('\n');
      await scenario.cloud.addFault({ kind: 'neverJoin', console: `${printed}\n${lastWords}` });
    });
    afterAll(async () => {
      try {
        await scenario.end();
      } finally {
        await cloud.stop();
      }
    });

    /** What a person with such a secret would search for: as it is, and in base64. */
    async function secretsOf(uid: string): Promise<string[]> {
      const name = `bootstrap-token-${tokenIdOf(uid, 0)}`;
      const { data = {} } = await eventually('its token is there', async () => {
        const found = await scenario.cluster.find<SecretObject>(
          namespaced('secrets', 'kube-system', name),
        );
        if (!found) throw new Error('no token');
        return found;
      });
      const token = Buffer.from(data['token-secret'] ?? '', 'base64').toString();
      // Names of accounts and keys are no secrets.
      const ofCloud = Object.entries(cloud.secret).flatMap(([key, value]) =>
        /secret|password|json/i.test(key) ? valuesIn(value) : [],
      );
      const all = [canary, token, ...ofCloud.filter((text) => text.length >= shortestSecret)];
      return all.flatMap(spellingsOf);
    }

    test('are nowhere but in their Secrets', async () => {
      const { cluster, workflows, operator, namespace } = scenario;
      await createSecret(scenario, 'planted', { ...cloud.secret, userData });
      const { providerSpec } = cloud;
      await createClass(scenario, 'planted', { provider, providerSpec, secret: 'planted' });
      const name = await createMachine(scenario, 'planted', {
        class: { kind: 'MachineClass', name: 'planted' },
      });
      const secrets = await secretsOf((await cluster.machine(name)).metadata.uid);
      await eventually('its instance is there', async () => {
        expect((await cluster.machine(name)).spec.providerID ?? '').not.toBe('');
      });
      // The other clouds have consoles of their own.
      if (provider === 'virtual') {
        await timeOutOnceBooted(scenario, name);
        await untilPhase(scenario, name, 'Failed');
      }
      const objects = JSON.stringify(await cluster.machine(name));
      const isPrinted = objects.includes(lastWords);
      expect({ isPrinted }).toEqual({ isPrinted: provider === 'virtual' });
      const classes = JSON.stringify(
        await cluster.list<KubeObject>(cluster.pathOf('machineclasses')),
      );
      await cluster.delete(cluster.pathOf('machines', name));
      await untilGone(scenario, cluster.pathOf('machines', name));
      // Events are written in the background: this is one of the last.
      await untilEvent(scenario, { kind: 'Machine', name }, { reason: 'InstanceDeleted' });

      const histories = await workflows.allHistories();
      const logs = readdirSync(operator.logs).map((file) =>
        readFileSync(join(operator.logs, file), 'latin1'),
      );
      const places: Record<string, string> = {
        histories,
        'status and annotations': objects + classes,
        events: JSON.stringify(await cluster.list<KubeObject>(namespaced('events', namespace))),
        logs: logs.join('\n'),
        database: databaseText(),
        metrics: (await Promise.all(portsIn(logs.join('\n')).map(metricsAt))).join('\n'),
      };
      // Each place is what it seems to be.
      expect(places['histories']).toContain(name);
      expect(places['events']).toContain('InstanceDeleted');
      expect(places['logs']).toContain(name);
      expect(places['database'] === '' || places['database']?.includes(name)).toBe(true);
      expect(places['metrics']).toContain('millwright_');
      for (const [place, text] of Object.entries(places)) {
        const found = secrets.filter((secret) => text.includes(secret));
        expect({ place, found: found.length }).toEqual({ place, found: 0 });
      }
    });
  });
}

function spellingsOf(text: string): string[] {
  return [text, Buffer.from(text).toString('base64').replace(/=+$/, '')];
}

/** Of a Secret's value, also the fields of one that is JSON. */
function valuesIn(value: string): string[] {
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed !== 'object' || parsed === null) return linesOf(value);
    return Object.entries(parsed).flatMap(([field, text]) =>
      typeof text === 'string' && field.startsWith('private_key') ? linesOf(text) : [],
    );
  } catch {
    return linesOf(value);
  }
}

/** A key in PEM is broken at other places when it is written elsewhere. */
function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
}

/** Empty where Temporal has another database than a file. */
function databaseText(): string {
  const { temporalDatabase } = testStack().layout;
  const files = [temporalDatabase, `${temporalDatabase}-wal`].filter((file) => existsSync(file));
  return files.map((file) => readFileSync(file, 'latin1')).join('\n');
}

function portsIn(logs: string): number[] {
  return [...logs.matchAll(/"port":(\d+),"msg":"serving \/healthz/g)].map(([, port]) =>
    Number(port),
  );
}

async function metricsAt(port: number): Promise<string> {
  return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}
