/** kill -9 in the middle of what happens to a pool of theirs, two fronts, and fronts anew. */
import type { KubeObject } from '../../../kube/client/client.ts';
import type { KubermaticMachineDeployment } from '../../../workflows/api/kubermatic.ts';
import { front } from '../../../workflows/api/kubermatic-names.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createTheirPool,
  kubectl,
  theirMachinesOf,
  theirPath,
  untilTheirsRun,
  useFrontScenario,
} from '../support/front.ts';
import { createMachine, deleteMachine, untilPhase } from '../support/machines.ts';
import { createCounts } from '../support/moments.ts';
import type { Program } from '../support/operator.ts';

const closely = { pollMilliseconds: 10 };
const mds = 'machinedeployments.cluster.k8s.io';
let extra: string[] = [];

describe('a pool of cluster.k8s.io', () => {
  const scenario = useFrontScenario('front-killed', {
    isDoubled: false,
    env: (): Record<string, string> =>
      extra.length > 0 ? { MILLWRIGHT_FLAGS: extra.join(' ') } : {},
  });
  const { cluster, cloud, operator } = scenario;
  const label = (pool: string, version: string) =>
    kubectl(scenario, [
      'patch',
      mds,
      pool,
      '--type=merge',
      `--patch={"spec":{"template":{"spec":{"metadata":{"labels":{"version":"${version}"}}}}}}`,
    ]);
  const hashesOf = async (pool: string) => {
    const machines = await theirMachinesOf(scenario, pool);
    return machines.map(({ metadata }) => metadata.labels?.['machine-template-hash'] ?? '');
  };

  async function untilRolledOut(pool: string, left: readonly string[], count: number) {
    return await eventually('all machines are of the new template', async () => {
      const path = theirPath(scenario, 'machinedeployments', pool);
      const { status } = await cluster.kube.get<KubermaticMachineDeployment>(path);
      expect(status).toMatchObject({ updatedReplicas: count, replicas: count });
      expect((await hashesOf(pool)).filter((hash) => left.includes(hash))).toEqual([]);
      return await untilTheirsRun(scenario, pool, count);
    });
  }

  test.each<Program>(['front', 'worker', 'watcher'])(
    'ends right when the %s is killed in the middle of all that happens to it',
    async (program) => {
      const pool = await createTheirPool(scenario, `killed-${program}`, { replicas: 1 });
      await untilTheirsRun(scenario, pool, 1);

      await kubectl(scenario, ['scale', mds, pool, '--replicas=4']);
      await hasCome('the second VM was made', async () => (await cloud.instances()).length > 1);
      await operator.kill9(program);
      await untilTheirsRun(scenario, pool, 4);

      const old = [...new Set(await hashesOf(pool))];
      await label(pool, 'two');
      await hasCome('a machine of the new template is there', async () =>
        (await hashesOf(pool)).some((hash) => !old.includes(hash)),
      );
      await operator.kill9(program);
      await untilRolledOut(pool, old, 4);

      await kubectl(scenario, ['delete', mds, pool, '--wait=false']);
      await hasCome('the first VM is gone', async () => (await cloud.instances()).length < 4);
      await operator.kill9(program);
      await eventually('nothing is left', async () => {
        expect(await theirMachinesOf(scenario, pool)).toEqual([]);
        expect(await cluster.find(theirPath(scenario, 'machinedeployments', pool))).toBeUndefined();
        expect(await cloud.instances()).toEqual([]);
      });
      const counts = await createCounts(scenario, pool);
      expect(counts).toEqual(counts.map(() => 1));
      expect(counts.length).toBeGreaterThanOrEqual(8);
    },
  );

  test('is served once by two fronts, and goes on with the one that is left', async () => {
    operator.startAgain('second-front');
    const pool = await createTheirPool(scenario, 'two-fronts', { replicas: 3 });
    await untilTheirsRun(scenario, pool, 3);
    const old = [...new Set(await hashesOf(pool))];
    await label(pool, 'two');
    await hasCome('a machine of the new template is there', async () =>
      (await hashesOf(pool)).some((hash) => !old.includes(hash)),
    );
    await operator.retire('front');
    await untilRolledOut(pool, old, 3);
    operator.startAgain('front');
    await operator.retire('second-front');
    await kubectl(scenario, ['scale', mds, pool, '--replicas=2']);
    await untilTheirsRun(scenario, pool, 2);
    expect((await createCounts(scenario, pool)).every((count) => count === 1)).toBe(true);
  });

  test('is written no more when it has settled, by fronts anew and with other flags', async () => {
    const pool = await createTheirPool(scenario, 'settled', { replicas: 2 });
    await untilTheirsRun(scenario, pool, 2);
    const before = await eventually('it has settled', async () => {
      const seen = await versionsOf(pool);
      await anotherPool();
      expect(await versionsOf(pool)).toEqual(seen);
      return seen;
    });
    for (extra of [[], ['--skip-eviction-after=10m', '--join-cluster-timeout=30m']]) {
      await operator.retire('front');
      operator.startAgain('front');
      await anotherPool();
      // A pass over it has run for sure.
      await kubectl(scenario, [
        'annotate',
        '--overwrite',
        mds,
        pool,
        `example.com/touched=${extra.length}`,
      ]);
      await anotherPool();
      const after = await versionsOf(pool);
      expect({ ...after, [`theirs ${pool}`]: '' }).toEqual({ ...before, [`theirs ${pool}`]: '' });
    }
    extra = [];
    await operator.retire('front');
    operator.startAgain('front');
  });

  let others = 0;
  /** From its creation to its end: the front has seen what was before. */
  async function anotherPool(): Promise<void> {
    others += 1;
    const other = await createTheirPool(scenario, `other${others}`, { replicas: 0 });
    const path = theirPath(scenario, 'machinedeployments', other);
    await eventually('it is mirrored', () => cluster.deployment(other));
    await kubectl(scenario, ['delete', mds, other]);
    expect(await cluster.find(path)).toBeUndefined();
    const name = await createMachine(scenario, `marker${others}`);
    await untilPhase(scenario, name, 'Running');
    await deleteMachine(scenario, name);
  }

  /** Resource versions of all that belongs to a pool, on both sides. */
  async function versionsOf(pool: string): Promise<Record<string, string>> {
    const { namespace } = scenario;
    const selector = { labelSelector: `${front.pool}=${pool}` };
    const lists = await Promise.all([
      ...(['machinedeployments', 'machinesets', 'machines'] as const).map((kind) =>
        cluster.list<KubeObject>(theirPath(scenario, kind)),
      ),
      cluster.machines(),
      cluster.sets(),
      cluster.deployments(),
      cluster.list<KubeObject>(cluster.pathOf('machineclasses'), selector),
      cluster.list<KubeObject>(`/api/v1/namespaces/${namespace}/secrets`, selector),
      cluster.list<KubeObject>(`/api/v1/namespaces/${namespace}/configmaps`, selector),
    ]);
    const sides = ['theirs', 'their set', 'their machine', 'machine', 'set', 'ours'];
    const all = lists.flatMap((objects, index) =>
      objects
        .filter(({ metadata }) => metadata.name.startsWith(pool))
        .map(({ metadata }) => [
          `${sides[index] ?? index} ${metadata.name}`,
          metadata.resourceVersion,
        ]),
    );
    return Object.fromEntries(all);
  }
});

const hasCome = (what: string, look: () => Promise<boolean>) => eventually(what, look, closely);
