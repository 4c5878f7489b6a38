/**
 * kill -9 of the worker at every kind of call that a driver makes: when the cloud has done it and
 * the worker does not know. One instance for a Machine, with what goes with it, and nothing
 * afterwards.
 */
import { apiVersion } from '../../../../workflows/api/constants.ts';
import { namespaced } from '../../../../kube/client/paths.ts';
import type { CloudCase, RunningCloud } from './cloud-case.ts';
import { eventually } from '../../../support/eventually.ts';
import { KillProxy } from '../kill-proxy.ts';
import { createClass, createSecret } from '../classes.ts';
import { machineManifest } from '../manifests.ts';
import { Scenario } from '../scenario.ts';

export interface Expected {
  /** Kinds of calls that have to have been killed at. */
  writes: string[];
  /** Network interfaces and disks of an instance, as far as they are things of their own. */
  belongings: number;
}

/**
 * Defines the test of one cloud. Each takes more than a minute, so they are in files of their own,
 * which run side by side.
 */
export function testKillsAtEveryCall(cloudCase: CloudCase, expected: Expected): void {
  describe(`kill -9 of the worker at each call of the driver of ${cloudCase.provider}`, () => {
    const { provider } = cloudCase;
    const hit = new Set<string>();
    let cloud: RunningCloud;
    let proxy: KillProxy;
    let scenario: Scenario;

    beforeAll(async () => {
      cloud = await cloudCase.start();
      proxy = new KillProxy({
        moment: 'after',
        name: `kill-proxy-${provider.toLowerCase()}`,
        picks: ({ kind }) => isFirst(kind),
        cloud: {
          upstream: () => cloud.upstream,
          serverTls: () => cloud.serverTls,
          stepOf: (request) => cloud.stepOf(request),
        },
      });
      await proxy.start(() => scenario.operator.kill9('worker'));
      scenario = new Scenario(`killed-${provider.toLowerCase()}`, {
        workerAccess: () => proxy.access,
        workerEnv: () => cloud.envFor(proxy.cloudUrl),
      });
      await scenario.start();
    });
    afterAll(async () => {
      try {
        await scenario.end();
      } finally {
        await proxy.stop();
        await cloud.stop();
      }
    });

    test('one instance is made, and all of it is deleted', async () => {
      const { namespace, cluster } = scenario;
      const { name } = scenario.named('m');
      const { secret, providerSpec } = cloud;
      const className = 'cloudy';
      await createSecret(scenario, className, secret);
      await createClass(scenario, className, { provider, providerSpec, secret: className });
      proxy.arm();
      const spec = { class: { apiVersion, kind: 'MachineClass', name: className } };
      await cluster.create('machines', machineManifest({ namespace, name }, spec));
      await eventually('it has an instance', async () => untilPending(name));
      expect(await cloud.made(name)).toBe(1);
      const living = await cloud.living();
      expect(living).toHaveLength(1 + expected.belongings);

      hit.clear();
      await cluster.delete(cluster.pathOf('machines', name));
      await eventually('it is gone', async () => expect(await cluster.machines()).toEqual([]));
      expect(await cloud.living()).toEqual([]);
      expect(await cloud.made(name)).toBe(1);
      expect(proxy.kindsHit).toEqual(expect.arrayContaining(expected.writes));
      proxy.disarm();
      await cluster.delete(namespaced('secrets', namespace, className));
    });

    /** Once for the creation, and once for the deletion. */
    function isFirst(kind: string): boolean {
      if (!kind.startsWith('cloud ') || hit.has(kind)) return false;
      hit.add(kind);
      return true;
    }

    async function untilPending(name: string): Promise<void> {
      const { status, spec } = await scenario.cluster.machine(name);
      expect(status?.currentStatus).toMatchObject({ phase: 'Pending' });
      expect(spec.providerID).toBeDefined();
    }
  });
}
