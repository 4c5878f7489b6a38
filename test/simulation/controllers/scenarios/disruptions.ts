/** What the disruption controller and evictions make of PodDisruptionBudgets. */
import type { Scenario } from './ownership.ts';
import type { Ref, Stage } from './stage.ts';

const app = 'app';
const selector = { matchLabels: { app } };
const several =
  'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
const refusal = "Cannot evict pod as it would violate the pod's disruption budget.";

async function budget(stage: Stage, spec: object, name = app): Promise<void> {
  await stage.create(`PodDisruptionBudget/${name}`, { spec: { selector, ...spec } });
}

async function pods(stage: Stage, replicas: number): Promise<Ref[]> {
  await stage.startNode('a');
  await stage.startWorkload({ name: app, replicas });
  return await stage.readyPods(app, replicas);
}

async function seesStatus(stage: Stage, status: object, name = app): Promise<void> {
  await stage.sees({ [`PodDisruptionBudget/${name}`]: { status } });
}

/** By number alone: it has no controller. */
async function barePod(stage: Stage, name: string, labels: Record<string, string>): Promise<Ref> {
  const containers = [{ name: 'app', image: 'nothing' }];
  const ref: Ref = `Pod/${name}`;
  await stage.create(ref, { metadata: { labels }, spec: { containers } });
  const conditions = expect.arrayContaining([
    expect.objectContaining({ type: 'Ready', status: 'True' }),
  ]);
  await stage.sees({ [ref]: { status: { phase: 'Running', conditions } } });
  return ref;
}

const counts: readonly { spec: object; status: object }[] = [
  { spec: { minAvailable: 2 }, status: { desiredHealthy: 2, disruptionsAllowed: 1 } },
  { spec: { minAvailable: 4 }, status: { desiredHealthy: 4, disruptionsAllowed: 0 } },
  { spec: { minAvailable: 0 }, status: { desiredHealthy: 0, disruptionsAllowed: 3 } },
  { spec: { minAvailable: '50%' }, status: { desiredHealthy: 2, disruptionsAllowed: 1 } },
  { spec: { maxUnavailable: 1 }, status: { desiredHealthy: 2, disruptionsAllowed: 1 } },
  { spec: { maxUnavailable: '34%' }, status: { desiredHealthy: 1, disruptionsAllowed: 2 } },
  { spec: { maxUnavailable: 9 }, status: { desiredHealthy: 0, disruptionsAllowed: 3 } },
];

export const disruptions: readonly Scenario[] = [
  {
    name: 'budgets count three pods',
    async play(stage) {
      await pods(stage, 3);
      for (const [index, { spec }] of counts.entries()) await budget(stage, spec, `count-${index}`);
      for (const [index, { status }] of counts.entries()) {
        const observedGeneration = 1;
        const all = { expectedPods: 3, currentHealthy: 3, observedGeneration, ...status };
        await seesStatus(stage, all, `count-${index}`);
      }
    },
  },
  {
    name: 'a budget without pods, and one without a selector, allow nothing',
    async play(stage) {
      await pods(stage, 2);
      await budget(stage, { minAvailable: 0, selector: { matchLabels: { app: 'none' } } }, 'none');
      await budget(stage, { minAvailable: 0, selector: null }, 'null');
      await budget(stage, { minAvailable: 0, selector: {} }, 'all');
      const nothing = { expectedPods: 0, disruptionsAllowed: 0, observedGeneration: 1 };
      await seesStatus(stage, nothing, 'none');
      await seesStatus(stage, nothing, 'null');
      await seesStatus(stage, { expectedPods: 2, disruptionsAllowed: 2 }, 'all');
    },
  },
  {
    name: 'pods without a controller count for a number, and not for a share',
    async play(stage) {
      await stage.startNode('a');
      for (const name of ['one', 'two']) await barePod(stage, name, { app });
      await budget(stage, { minAvailable: 1 });
      await budget(stage, { maxUnavailable: 1 }, 'share');
      await seesStatus(stage, { expectedPods: 2, currentHealthy: 2, disruptionsAllowed: 1 });
      const share = { expectedPods: 0, currentHealthy: 2, disruptionsAllowed: 0 };
      await seesStatus(stage, { ...share, observedGeneration: 1 }, 'share');
    },
  },
  {
    name: 'a budget for pods of a DaemonSet fails',
    async play(stage) {
      await stage.startNode('a');
      await budget(stage, { maxUnavailable: 1 });
      await seesStatus(stage, { observedGeneration: 1 });
      await stage.startWorkload({ name: app, kind: 'DaemonSet', replicas: 0 });
      const [pod = 'Pod/none'] = await stage.readyPods(app, 1);
      const conditions = [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed' }];
      await seesStatus(stage, { disruptionsAllowed: 0, conditions });
      const why =
        'The disruption budget app does not allow evicting pods currently because it failed sync: ';
      expect(await stage.evict(pod)).toEqual(refused(expect.stringContaining(why)));
    },
  },
  {
    name: 'what a budget allows is used up by evictions, and comes back with new pods',
    async play(stage) {
      await budget(stage, { maxUnavailable: 1 });
      const [first = 'Pod/none', second = 'Pod/none'] = await pods(stage, 3);
      await seesStatus(stage, { disruptionsAllowed: 1 });
      expect(await stage.evict(first)).toMatchObject({ code: 201 });
      const answer = await stage.evict(second);
      const why = 'The disruption budget app needs 2 healthy pods and has 3 currently';
      // Unless another pod is there already.
      if (answer.code !== 201)
        expect(answer).toEqual(refused(expect.stringMatching(why.replace('3', '[23]'))));
      await stage.sees({ [first]: null });
      await stage.readyPods(app, 3);
      await seesStatus(stage, { currentHealthy: 3, disruptionsAllowed: 1 });
    },
  },
  {
    name: 'an eviction is refused while a budget allows none',
    async play(stage) {
      const [pod = 'Pod/none'] = await pods(stage, 2);
      await budget(stage, { minAvailable: 2 });
      await seesStatus(stage, { currentHealthy: 2, disruptionsAllowed: 0 });
      const why = 'The disruption budget app needs 2 healthy pods and has 2 currently';
      expect(await stage.evict(pod)).toEqual(refused(why));
      const conditions = [
        { type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' },
      ];
      await seesStatus(stage, { conditions });
    },
  },
  {
    name: 'of a pod with two budgets the eviction fails',
    async play(stage) {
      const [pod = 'Pod/none'] = await pods(stage, 1);
      for (const name of ['one', 'two']) {
        await budget(stage, { minAvailable: 0 }, name);
        await seesStatus(stage, { disruptionsAllowed: 1 }, name);
      }
      const { code, message } = await stage.evict(pod);
      expect(code).toBe(500);
      expect(message).toContain(several);
    },
  },
  {
    name: 'a pod without labels is kept by a budget that selects all',
    async play(stage) {
      await stage.startNode('a');
      const pod = await barePod(stage, 'bare', {});
      await budget(stage, { minAvailable: 5, selector: {} });
      await seesStatus(stage, { expectedPods: 1, disruptionsAllowed: 0 });
      const why = 'The disruption budget app needs 5 healthy pods and has 1 currently';
      expect(await stage.evict(pod)).toEqual(refused(why));
    },
  },
  {
    name: 'a pod that does not run is not kept by a budget',
    async play(stage) {
      await budget(stage, { minAvailable: 5 });
      const spec = {
        containers: [{ name: 'app', image: 'nothing' }],
        nodeSelector: { 'kubernetes.io/hostname': 'none' },
      };
      await stage.create('Pod/waiting', { metadata: { labels: { app } }, spec });
      await seesStatus(stage, { expectedPods: 1, currentHealthy: 0, disruptionsAllowed: 0 });
      expect(await stage.evict('Pod/waiting')).toMatchObject({ code: 201 });
      await stage.sees({ 'Pod/waiting': null });
    },
  },
  {
    name: 'a pod that is not ready is kept as long as its budget says',
    async play(stage) {
      const [pod = 'Pod/none'] = await pods(stage, 2);
      await budget(stage, { minAvailable: 2 });
      await stage.spoil(pod);
      await seesStatus(stage, { currentHealthy: 1, disruptionsAllowed: 0 });
      const why = 'The disruption budget app needs 2 healthy pods and has 1 currently';
      expect(await stage.evict(pod)).toEqual(refused(why));
      await stage.patch(`PodDisruptionBudget/${app}`, { spec: { minAvailable: 1 } });
      await seesStatus(stage, { observedGeneration: 2, currentHealthy: 1, desiredHealthy: 1 });
      expect(await stage.evict(pod)).toMatchObject({ code: 201 });
    },
  },
  {
    name: 'a pod that is not ready always goes where its budget says so',
    async play(stage) {
      const [pod = 'Pod/none'] = await pods(stage, 2);
      await budget(stage, { minAvailable: 2, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
      await stage.spoil(pod);
      await seesStatus(stage, { currentHealthy: 1, disruptionsAllowed: 0 });
      expect(await stage.evict(pod)).toMatchObject({ code: 201 });
    },
  },
];

function refused(why: unknown): object {
  return {
    code: 429,
    message: expect.stringContaining(refusal),
    causes: [{ reason: 'DisruptionBudget', message: why }],
  };
}
