/**
 * The real cluster autoscaler of the Kubernetes project, without a fork: pods make machines come
 * and go, and no machine goes that it did not choose.
 */
import { namespaced } from '../../../kube/client/paths.ts';
import { annotations, options } from '../../../workflows/api/constants.ts';
import { ClusterAutoscaler } from '../support/cluster-autoscaler.ts';
import { eventually } from '../../support/eventually.ts';
import { deleteDeployment, machinesOf } from '../support/machines.ts';
import {
  createPool,
  createPoolClass,
  scaleWork,
  startWork,
  untilAtWork,
  untilPoolHas,
} from '../support/pools.ts';
import { changeClass, untilComplete } from '../support/rollouts.ts';
import { useScenario } from '../support/scenario.ts';
import type { RunningPod } from '../support/workloads.ts';

const scenario = useScenario('ca', {
  workerFlags: ['--autoscaler-scaledown-annotation-during-rollout=false'],
});
const { cluster, cloud, workflows, namespace } = scenario;
let autoscaler: ClusterAutoscaler;
let pools: string[] = [];

beforeAll(async () => {
  autoscaler = await ClusterAutoscaler.start(scenario);
});
afterEach(async () => {
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  await cluster.delete(path);
  // Its ReplicaSet makes others until it is gone as well, and theirs may never terminate.
  await eventually('no pod and no ReplicaSet is left', async () => {
    await cluster.kube.delete(namespaced('pods', namespace), { gracePeriodSeconds: 0 });
    const sets = await cluster.list(`/apis/apps/v1/namespaces/${namespace}/replicasets`);
    expect([...sets, ...(await cluster.list(namespaced('pods', namespace)))]).toEqual([]);
  });
  for (const pool of pools) await deleteDeployment(scenario, pool);
  pools = [];
  autoscaler.beginAnew();
});
afterAll(async () => {
  await autoscaler.end();
});

async function aPool(...args: [string, Parameters<typeof createPool>[2]?]): Promise<string> {
  const name = await createPool(scenario, ...args);
  pools.push(name);
  return name;
}

const namesOf = async (name: string): Promise<string[]> =>
  (await machinesOf(scenario, name)).map(({ metadata }) => metadata.name).toSorted();

describe('a pool', () => {
  test('grows from nothing for pods, and shrinks to nothing without them', async () => {
    const name = await aPool('zero');
    await startWork(scenario, { app: 'zero', on: name, pods: 3 });
    const nodes = await untilAtWork(scenario, 'zero', 3);
    const machines = await untilPoolHas(scenario, name, 3);
    expect(machines.map(({ status }) => status?.nodeRef)).toEqual(
      machines.map(({ metadata }) => ({ kind: 'Node', name: metadata.labels?.['node'] })),
    );
    expect(nodes).toEqual(await namesOf(name));
    await scaleWork(scenario, 'zero', 0);
    await untilPoolHas(scenario, name, 0);
    autoscaler.expectOnlyChosenDeleted();
  });

  test('that is out of capacity is left to itself, and another takes over', async () => {
    const both = { serves: 'either' };
    const scarce = await aPool('scarce', both);
    const rich = await aPool('rich', { ...both, size: 'medium' });
    await cloud.addFault({ kind: 'quota', match: `${scarce}-*` });
    await startWork(scenario, { app: 'either', on: 'either', pods: 1 });
    await eventually('the scarce one was tried, as its Nodes would be filled best', async () => {
      expect(await cloud.count('create', 'quota')).toBeGreaterThan(0);
    });
    await untilAtWork(scenario, 'either', 1);
    await untilPoolHas(scenario, rich, 1);
    await untilPoolHas(scenario, scarce, 0);
    autoscaler.expectOnlyChosenDeleted();
  });
});

describe('scaling down', () => {
  test('takes the idle machine, not one with an earlier mark that an autoscaler left behind', async () => {
    const name = await aPool('left');
    await startWork(scenario, { app: 'left', on: name, pods: 3 });
    await untilAtWork(scenario, 'left', 3);
    await untilPoolHas(scenario, name, 3);
    await autoscaler.kill9();
    await scaleWork(scenario, 'left', 2);
    const [busy = '', ...others] = await untilAtWork(scenario, 'left', 2);
    // As Go prints the time; its number never came.
    const mark = { [annotations.deleteMachine]: '2026-01-02 03:04:05.678901234 +0000 UTC m=+9.5' };
    await cluster.patch('machines', busy, { metadata: { annotations: mark } });
    await autoscaler.startAgain();
    await untilPoolHas(scenario, name, 2);
    expect(await namesOf(name)).toEqual([busy, ...others].toSorted());
    autoscaler.expectOnlyChosenDeleted();
  });

  test('ends as it would have, when the autoscaler is killed after its first mark', async () => {
    const name = await aPool('killed');
    await startWork(scenario, { app: 'killed', on: name, pods: 4 });
    await untilAtWork(scenario, 'killed', 4);
    await untilPoolHas(scenario, name, 4);
    await scaleWork(scenario, 'killed', 1);
    const busy = await untilAtWork(scenario, 'killed', 1);
    await eventually(
      'a machine is marked',
      async () => {
        const marked = (await machinesOf(scenario, name)).filter(
          ({ metadata }) => annotations.deleteMachine in (metadata.annotations ?? {}),
        );
        expect(marked).not.toEqual([]);
      },
      { pollMilliseconds: 20 },
    );
    await autoscaler.kill9();
    await autoscaler.startAgain();
    await untilPoolHas(scenario, name, 1);
    expect(await namesOf(name)).toEqual(busy);
    autoscaler.expectOnlyChosenDeleted();
  });

  test('is not undone by a blocked drain, and a changed mind makes another machine', async () => {
    const name = await aPool('blocked', { min: 1 });
    await startWork(scenario, { app: 'busy', on: name, pods: 1, cpu: '1300m' });
    const [busy = ''] = await untilAtWork(scenario, 'busy', 1);
    // It fills that Node, so the next pod gets one of its own.
    await startWork(scenario, { app: 'ballast', on: name, pods: 1, cpu: '600m' });
    await untilAtWork(scenario, 'ballast', 1);
    const stubborn = { 'local.millwright.dev/never-terminates': 'true' };
    await startWork(scenario, {
      app: 'stuck',
      on: name,
      pods: 1,
      cpu: '400m',
      annotations: stubborn,
    });
    const [chosen = ''] = await untilAtWork(scenario, 'stuck', 1);
    expect(await namesOf(name)).toEqual([busy, chosen].toSorted());
    // There is room for the pod on the other Node; its own eviction never ends.
    await scaleWork(scenario, 'ballast', 0);
    const blocked = async (): Promise<void> => {
      const found = await workflows.running('State="DrainBlocked"');
      expect(found).toContain(`machine/${namespace}/${chosen}`);
    };
    // It gives its first attempt up after half a minute, when it has waited for the pod in vain.
    await eventually('the drain of the chosen machine is blocked', blocked);
    expect(await namesOf(name)).toEqual([busy, chosen].toSorted());
    // It changes its mind: the ballast is back, and the Node that it was on is full by now.
    await scaleWork(scenario, 'ballast', 1);
    const [another = ''] = await untilAtWork(scenario, 'ballast', 1);
    expect(await namesOf(name)).toEqual(expect.arrayContaining([another, busy, chosen]));
    await deletePods({ app: 'stuck', nodeName: chosen });
    await untilPoolHas(scenario, name, 2);
    expect(await namesOf(name)).toEqual([another, busy].toSorted());
    autoscaler.expectOnlyChosenDeleted();
  });
});

/** At once, as the kubelet of a dead machine is not waited for. */
async function deletePods({ app, nodeName }: { app: string; nodeName: string }): Promise<void> {
  const query = { labelSelector: `app=${app}`, fieldSelector: `spec.nodeName=${nodeName}` };
  const path = namespaced('pods', namespace);
  for (const { metadata } of await cluster.list<RunningPod>(path, query)) {
    await cluster.kube.delete(`${path}/${metadata.name}`, { gracePeriodSeconds: 0 });
  }
}

describe('in a rollout', () => {
  test('a pool grows, ends up new, and shrinks again', async () => {
    const name = await aPool('roll');
    await startWork(scenario, { app: 'roll', on: name, pods: 2 });
    await untilAtWork(scenario, 'roll', 2);
    const old = await untilPoolHas(scenario, name, 2);
    await createPoolClass(scenario, 'rolled');
    await changeClass(scenario, name, 'rolled');
    await scaleWork(scenario, 'roll', 4);
    await untilAtWork(scenario, 'roll', 4);
    await untilComplete(scenario, name);
    // A pod may have been at work on an old machine until then: it gets one more.
    const machines = await untilPoolHas(scenario, name, 4);
    expect(machines.map(({ spec }) => spec.class?.name)).toEqual(
      Array.from({ length: 4 }, () => 'rolled'),
    );
    await scaleWork(scenario, 'roll', 0);
    await untilPoolHas(scenario, name, 0);
    autoscaler.expectOnlyChosenDeleted(old.map(({ metadata }) => metadata.name));
  });

  // With a canary, or in the middle of a rolling update, Nodes are kept from it unless a flag says
  // otherwise: gardener-autoscaler.test.ts chooses machines there.
  test.each<Hold>([
    { hold: 'a pause', blockedBy: 'paused', patch: { spec: { paused: true } } },
    {
      hold: 'OnDelete',
      blockedBy: 'onDelete',
      patch: { metadata: { annotations: { [options.onDelete]: 'true' } } },
    },
  ])('that stands still for $hold, a pool grows, and loses what was chosen', async (row) => {
    const { blockedBy, patch } = row;
    const app = `hold-${blockedBy.toLowerCase()}`;
    const name = await aPool(app);
    await startWork(scenario, { app, on: name, pods: 3 });
    await untilAtWork(scenario, app, 3);
    await untilPoolHas(scenario, name, 3);
    const began = await namesOf(name);
    await cluster.patch('machinedeployments', name, patch);
    await createPoolClass(scenario, `next-${name}`);
    await changeClass(scenario, name, `next-${name}`);
    await untilHeld(name, blockedBy);
    await scaleWork(scenario, app, 4);
    await untilAtWork(scenario, app, 4);
    await untilPoolHas(scenario, name, 4);
    expect(await namesOf(name)).toEqual(expect.arrayContaining(began));
    await scaleWork(scenario, app, 2);
    const busy = await untilAtWork(scenario, app, 2);
    await untilPoolHas(scenario, name, 2);
    expect(await namesOf(name)).toEqual(busy);
    autoscaler.expectOnlyChosenDeleted();
    await cluster.patch('machinedeployments', name, {
      metadata: { annotations: { [options.onDelete]: null } },
      spec: { paused: false },
    });
    await untilComplete(scenario, name);
    await untilAtWork(scenario, app, 2);
  });
});

interface Hold {
  hold: string;
  blockedBy: string;
  /** Of the MachineDeployment. */
  patch: object;
}

async function untilHeld(pool: string, blockedBy: string): Promise<void> {
  await eventually(`${pool} stands still`, async () => {
    const found = await workflows.running(`BlockedBy="${blockedBy}"`);
    expect(found).toContain(`machineDeployment/${namespace}/${pool}`);
  });
}
