/** Troubles of single machines: made, found and healed by the commands of their runbooks. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { namespaced } from '../../../kube/client/paths.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import type { MachineClass } from '../../../workflows/api/machine-class.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  deleteMachine,
  machinesOf,
  untilGone,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { classManifest, secretManifest } from '../support/manifests.ts';
import { setReady } from '../support/node-health.ts';
import { Runbook } from '../support/runbook.ts';
import { untilExplained, untilStuck } from '../support/runbook-findings.ts';
import { useScenario } from '../support/scenario.ts';

const classNamed = (name: string) => ({ class: { kind: 'MachineClass', name } });

describe('the runbook of a machine', () => {
  const scenario = useScenario('runbook-machines');
  const { cluster, cloud, namespace } = scenario;

  const poolOf = (name: string, spec: object) => ({
    replicas: 1,
    template: { metadata: { labels: { name: scenario.named(name).name } }, spec },
  });

  async function untilRefused(name: string, words: string): Promise<void> {
    await eventually(`Machine ${name} says: ${words}`, async () => {
      const { status } = await cluster.machine(name);
      expect(status?.currentStatus?.phase).toBe('CrashLoopBackOff');
      expect(status?.lastOperation?.description).toContain(words);
    });
  }

  /** Of a deployment that makes one. */
  async function machineOf(deployment: string): Promise<string> {
    return await eventually(`${deployment} has a machine`, async () => {
      const [machine] = await machinesOf(scenario, deployment);
      if (!machine) throw new Error('no machine yet');
      return machine.metadata.name;
    });
  }

  test('whose cloud has no quota left: more of it, or fewer machines', async () => {
    await cloud.addFault({ operation: 'create', kind: 'quota' });
    const name = await createMachine(scenario, 'quota');
    const pool = await createDeployment(scenario, 'greedy', poolOf('greedy', classNamed('small')));
    const page = await Runbook.of(scenario, 'quota', { POOL: pool, REPLICAS: '0' });
    for (const refused of [name, await machineOf(pool)]) {
      await untilRefused(refused, 'may not have more instances');
      expect(await page.run('Look')).toContain(`${refused} `);
    }
    await untilExplained(page, {
      trouble: 'quota',
      object: `machine/${name}`,
      cause: 'may not have more instances',
      way: `millwright retry machine/${name}`,
    });
    await page.run('Scale the pool down');
    await eventually('the pool has given up its machine', async () => {
      expect(await machinesOf(scenario, pool)).toEqual([]);
    });
    await cloud.clearFaults();
    // By itself it would try again in ten minutes.
    await page.run('Get more quota');
    await untilPhase(scenario, name, 'Running');
    expect(await page.run('Look')).toBe('');
    await deleteMachine(scenario, name);
    await deleteDeployment(scenario, pool);
  });

  test('whose zone is full: another zone, or wait', async () => {
    await cloud.addFault({ operation: 'create', kind: 'zoneFull', zone: 'a' });
    const name = await createMachine(scenario, 'full');
    const pool = await createDeployment(
      scenario,
      'full-pool',
      poolOf('full-pool', classNamed('small')),
    );
    const page = await Runbook.of(scenario, 'capacity', {
      POOL: pool,
      CLASS: 'small',
      NEW_CLASS: 'small-b',
      CHANGE: '.providerSpec.zone = "b"',
    });
    for (const refused of [name, await machineOf(pool)]) {
      await untilRefused(refused, 'zone');
      expect(await page.run('Look')).toContain(`${refused} small `);
    }
    await untilExplained(page, {
      trouble: 'capacity',
      object: `machine/${name}`,
      cause: 'zone "a" has no more capacity',
      way: `millwright retry machine/${name}`,
    });
    await page.run('Take another zone or size');
    await untilRunning(scenario, pool, 1);
    await cloud.clearFaults();
    await page.run('Wait');
    await untilPhase(scenario, name, 'Running');
    await deleteMachine(scenario, name);
    await deleteDeployment(scenario, pool);
    const path = cluster.pathOf('machineclasses', 'small-b');
    await cluster.delete(path);
    await untilGone(scenario, path);
  });

  test('whose class is refused: the field is corrected', async () => {
    const { name: CLASS } = scenario.named('bad');
    const providerSpec = { size: 'enormous' };
    await cluster.create(
      'machineclasses',
      classManifest({ namespace, name: CLASS }, { providerSpec }),
    );
    const name = await createMachine(scenario, 'bad', classNamed(CLASS));
    const page = await Runbook.of(scenario, 'bad-spec', {
      CLASS,
      PATCH: '{"providerSpec": {"size": "small"}}',
    });
    await untilRefused(name, 'providerSpec.size');
    await untilExplained(page, {
      trouble: 'bad-spec',
      object: `machine/${name}`,
      cause: 'providerSpec.size: "enormous" is not one of',
      way: `edit machineclass ${CLASS}`,
    });
    await untilStuck(page, {
      trouble: 'bad-spec',
      object: `machineclass/${CLASS}`,
      cause: 'providerSpec.size',
      way: `edit machineclass ${CLASS}`,
    });
    await eventually('the page finds class and Machine', async () => {
      const seen = await page.run('Look');
      expect(seen).toContain(`${CLASS}: providerSpec.size: "enormous" is not one of`);
      expect(seen).toContain(`${name} `);
    });
    await page.run('Repair');
    await untilPhase(scenario, name, 'Running');
    await deleteMachine(scenario, name);
  });

  test('whose Secret does not exist: the Secret is made', async () => {
    const { name: CLASS } = scenario.named('bare');
    const { name: SECRET } = scenario.named('absent');
    await cluster.create(
      'machineclasses',
      classManifest({ namespace, name: CLASS }, { secret: SECRET }),
    );
    const name = await createMachine(scenario, 'bare', classNamed(CLASS));
    const page = await Runbook.of(scenario, 'missing-secret', { SECRET, USERDATA: 'userdata.sh' });
    writeFileSync(join(page.folder, 'userdata.sh'), '#!/bin/true\n');
    const words = `Secret "${SECRET}" does not exist`;
    await untilRefused(name, words);
    await untilExplained(page, {
      trouble: 'missing-secret',
      object: `machine/${name}`,
      cause: words,
      way: `edit machineclass ${CLASS}`,
    });
    await eventually('the page finds class and Machine', async () => {
      const seen = await page.run('Look');
      expect(seen).toContain(`${CLASS}\t${SECRET}`);
      expect(seen).toMatch(new RegExp(`^${name} ${CLASS} .*${words}`, 'm'));
    });
    await page.run('Repair');
    await untilPhase(scenario, name, 'Running');
    await deleteMachine(scenario, name);
    const path = cluster.pathOf('machineclasses', CLASS);
    await cluster.delete(path);
    await untilGone(scenario, path);
    await cluster.delete(namespaced('secrets', namespace, SECRET));
  });

  test('whose credentials are refused: a new key', async () => {
    const { name: CLASS } = scenario.named('revoked');
    const { name: SECRET } = scenario.named('key');
    const secret = secretManifest({ namespace, name: SECRET });
    await cluster.kube.create(namespaced('secrets', namespace), secret);
    await cluster.create(
      'machineclasses',
      classManifest({ namespace, name: CLASS }, { secret: SECRET }),
    );
    const message = 'the key was revoked';
    await cloud.addFault({ operation: 'create', kind: 'error', code: 'Unauthenticated', message });
    const name = await createMachine(scenario, 'revoked', classNamed(CLASS));
    const page = await Runbook.of(scenario, 'credentials', {
      SECRET,
      KEY: 'token',
      VALUE: 'new-key.txt',
    });
    writeFileSync(join(page.folder, 'new-key.txt'), 'a new key');
    await untilRefused(name, message);
    await untilExplained(page, {
      trouble: 'credentials',
      object: `machine/${name}`,
      cause: message,
      way: `get machineclass ${CLASS}`,
    });
    await eventually('the page finds the class', async () => {
      const seen = await page.run('Look');
      expect(seen).toContain(`${CLASS} (Secret ${SECRET}): credentials: Unauthenticated: `);
    });
    // The cloud takes the new key.
    await cloud.clearFaults();
    await page.run('Repair');
    await untilPhase(scenario, name, 'Running');
    await eventually('the class says nothing any more', async () => {
      const { metadata } = await cluster.kube.get<MachineClass>(
        cluster.pathOf('machineclasses', CLASS),
      );
      expect(metadata.annotations?.[annotations.invalid]).toBeUndefined();
    });
    await deleteMachine(scenario, name);
    const path = cluster.pathOf('machineclasses', CLASS);
    await cluster.delete(path);
    await untilGone(scenario, path);
    await cluster.delete(namespaced('secrets', namespace, SECRET));
  });

  test('whose instance never joins: more time, or another one', async () => {
    await cloud.addFault({ kind: 'neverJoin' });
    const late = await createMachine(scenario, 'late', { creationTimeout: '2s' });
    const pool = await createDeployment(scenario, 'slow', poolOf('slow', classNamed('small')));
    const name = await machineOf(pool);
    const page = await Runbook.of(scenario, 'never-joins', { MACHINE: name, POOL: pool });
    await untilExplained(page, {
      trouble: 'never-joins',
      object: `machine/${late}`,
      cause: 'did not become Ready in time',
      way: `delete machine ${late}`,
    });
    await untilPhase(scenario, name, 'Pending');
    expect(await page.run('Look')).toContain(name);
    await page.run('Give it more time');
    await eventually('the Machine has more time', async () => {
      expect((await cluster.machine(name)).spec.creationTimeout).toBe('60m');
    });
    await cloud.clearFaults();
    await page.run('Replace the machine now');
    await untilGone(scenario, cluster.pathOf('machines', name));
    await untilRunning(scenario, pool, 1);
    await deleteDeployment(scenario, pool);
    await deleteMachine(scenario, late);
  });

  test('whose Node is not healthy: more time, kept, or replaced', async () => {
    const pool = await createDeployment(scenario, 'ill', {
      ...poolOf('ill', classNamed('small')),
      replicas: 3,
    });
    const names = (await untilRunning(scenario, pool, 3)).map(({ metadata }) => metadata.name);
    const [ill = ''] = names;
    const page = await Runbook.of(scenario, 'unhealthy-node', { MACHINE: ill, POOL: pool });
    await setReady(scenario, ill, false);
    await untilPhase(scenario, ill, 'Unknown');
    await untilExplained(page, {
      trouble: 'unhealthy-node',
      object: `machine/${ill}`,
      cause: 'Ready is False',
      way: `delete machine ${ill}`,
    });
    const seen = await page.run('Look');
    expect(seen).toMatch(/^Ready False /m);
    expect(seen).toMatch(/^Unknown: 1$/m);
    await page.run('Give it more time');
    await eventually('the Machine has more time', async () => {
      expect((await cluster.machine(ill)).spec.disableHealthTimeout).toBe(true);
    });
    await page.run('Keep it, to look into it');
    const kept = { 'node.machine.sapcloud.io/preserve': 'when-failed' };
    expect((await cluster.machine(ill)).metadata.annotations).toMatchObject(kept);
    await page.run('Replace the machine now');
    await untilGone(scenario, cluster.pathOf('machines', ill));
    const now = (await untilRunning(scenario, pool, 3)).map(({ metadata: { name } }) => name);
    expect(now).toEqual(expect.arrayContaining(names.slice(1)));
    await deleteDeployment(scenario, pool);
  });
});
