import type { Verdict } from '../world/weather.ts';
import { budgets, ControllersUnderTest, pods } from './controllers-under-test.ts';

const namespace = 'default';
const selector = { matchLabels: { app: 'app' } };
let world: ControllersUnderTest;

beforeEach(() => {
  world = new ControllersUnderTest();
  for (const name of ['one', 'two', 'three']) world.addNode(name);
});

function budget(spec: object, name = 'app'): void {
  world.create(budgets, name, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    spec: { selector, ...spec },
  });
}

const statusOf = (name = 'app') => world.read(`${budgets}/${name}`).status;

async function withPods(replicas: number): Promise<string[]> {
  world.controllers.workloads.add({ namespace, name: 'app', replicas });
  await world.run(60);
  return world.listOfPods().map(({ metadata }) => `${pods}/${metadata.name}`);
}

const refusalOf = (path = ''): Verdict | undefined => world.cluster.refusalOfEviction?.(path);

function setReady(path: string, status: 'True' | 'False'): void {
  const conditions = [{ type: 'Ready', status }];
  world.merge(`${path}/status`, { status: { conditions } });
}

describe('the status of a budget', () => {
  test.each([
    { spec: { minAvailable: 2 }, expectedPods: 3, desiredHealthy: 2, disruptionsAllowed: 1 },
    { spec: { minAvailable: 4 }, expectedPods: 3, desiredHealthy: 4, disruptionsAllowed: 0 },
    { spec: { minAvailable: 0 }, expectedPods: 3, desiredHealthy: 0, disruptionsAllowed: 3 },
    { spec: { minAvailable: '50%' }, expectedPods: 3, desiredHealthy: 2, disruptionsAllowed: 1 },
    { spec: { maxUnavailable: 1 }, expectedPods: 3, desiredHealthy: 2, disruptionsAllowed: 1 },
    { spec: { maxUnavailable: '34%' }, expectedPods: 3, desiredHealthy: 1, disruptionsAllowed: 2 },
    { spec: { maxUnavailable: 9 }, expectedPods: 3, desiredHealthy: 0, disruptionsAllowed: 3 },
    { spec: {}, expectedPods: 0, desiredHealthy: 0, disruptionsAllowed: 0 },
  ])('of three pods with $spec', async ({ spec, ...counts }) => {
    budget(spec);
    await withPods(3);
    expect(statusOf()).toMatchObject({ ...counts, currentHealthy: 3 });
  });

  test('follows the number of pods that their controller wants', async () => {
    budget({ maxUnavailable: 1 });
    await withPods(1);
    expect(statusOf()).toMatchObject({ expectedPods: 1, disruptionsAllowed: 1 });
    world.controllers.pause('scheduler');
    world.controllers.workloads.add({ namespace, name: 'app', replicas: 4 });
    await world.run(60);
    expect(statusOf()).toMatchObject({ expectedPods: 4, currentHealthy: 1, disruptionsAllowed: 0 });
  });

  test('a pod without a controller counts only for a number', async () => {
    for (const name of ['a', 'b']) {
      world.create(pods, name, { metadata: { labels: { app: 'app' } }, spec: { nodeName: 'one' } });
    }
    budget({ minAvailable: 1 });
    budget({ maxUnavailable: 1 }, 'share');
    await world.run(60);
    expect(statusOf()).toMatchObject({ expectedPods: 2, currentHealthy: 2, disruptionsAllowed: 1 });
    expect(statusOf('share')).toMatchObject({ expectedPods: 0, disruptionsAllowed: 0 });
  });

  test('nothing is allowed when the scale of a controller is not known', async () => {
    const kind = 'DaemonSet';
    budget({ maxUnavailable: 1 });
    await world.run(1);
    world.controllers.workloads.add({ namespace, name: 'app', replicas: 0, kind });
    await world.run(60);
    const reason = 'SyncFailed';
    expect(statusOf()).toMatchObject({ disruptionsAllowed: 0, conditions: [{ reason }] });
    expect(refusalOf(`${pods}/app-one`)?.details).toMatchObject({
      causes: [{ message: expect.stringContaining('because it failed sync') }],
    });
  });

  test('an empty selector selects every pod, a missing one none', async () => {
    budget({ minAvailable: 0, selector: {} }, 'all');
    budget({ minAvailable: 0, selector: null }, 'none');
    await withPods(2);
    expect(statusOf('all')).toMatchObject({ expectedPods: 2 });
    expect(statusOf('none')).toMatchObject({ expectedPods: 0 });
  });

  test('another selector counts other pods', async () => {
    budget({ minAvailable: 0 });
    await withPods(2);
    world.merge(`${budgets}/app`, { spec: { selector: { matchLabels: { app: 'other' } } } });
    await world.run(1);
    expect(statusOf()).toMatchObject({ expectedPods: 0, currentHealthy: 0 });
  });
});

describe('an eviction', () => {
  test('is granted where no budget is, or the pod does not run', async () => {
    const [path] = await withPods(1);
    expect(refusalOf(path)).toBeUndefined();
    budget({ minAvailable: 5 });
    await world.run(1);
    expect(refusalOf(path)).toMatchObject({ code: 429 });
    for (const phase of ['Pending', 'Succeeded', 'Failed']) {
      world.merge(`${path}/status`, { status: { phase } });
      expect(refusalOf(path)).toBeUndefined();
    }
  });

  test('of a pod without labels is refused by a budget that selects all', async () => {
    world.create(pods, 'bare', { spec: { nodeName: 'one' } });
    budget({ minAvailable: 5, selector: {} });
    await world.run(60);
    expect(refusalOf(`${pods}/bare`)).toMatchObject({ code: 429 });
  });

  test('is refused as the server does, while a budget allows none', async () => {
    const [path] = await withPods(2);
    budget({ minAvailable: 2 });
    await world.run(1);
    const message = 'The disruption budget app needs 2 healthy pods and has 2 currently';
    expect(refusalOf(path)).toEqual({
      code: 429,
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: { causes: [{ reason: 'DisruptionBudget', message }] },
    });
  });

  test('uses up what the budget allows, and the pod counts no more', async () => {
    budget({ maxUnavailable: 1 });
    const [first = '', second] = await withPods(3);
    expect(refusalOf(first)).toBeUndefined();
    expect(statusOf()).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { [first.slice(pods.length + 1)]: expect.any(String) },
      conditions: [{ status: 'False', reason: 'InsufficientPods' }],
    });
    expect(refusalOf(second)).toMatchObject({ code: 429 });
    await world.run(1);
    expect(statusOf()).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 0 });
  });

  test('a pod that was evicted and did not go counts again after two minutes', async () => {
    budget({ maxUnavailable: 1 });
    const [path] = await withPods(3);
    expect(refusalOf(path)).toBeUndefined();
    await world.run(110);
    expect(statusOf()).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 0 });
    await world.run(20);
    expect(statusOf()).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 1 });
    expect(statusOf().disruptedPods).toBeUndefined();
  });

  test('is allowed again when the pod was replaced', async () => {
    budget({ maxUnavailable: 1 });
    const [path = ''] = await withPods(3);
    expect(refusalOf(path)).toBeUndefined();
    world.server.delete(path);
    await world.run(120);
    expect(world.listOfPods()).toHaveLength(3);
    expect(statusOf()).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 1 });
  });

  test('of a pod with two budgets fails', async () => {
    const [path] = await withPods(1);
    budget({ minAvailable: 0 });
    budget({ minAvailable: 0 }, 'second');
    await world.run(1);
    const message = expect.stringMatching(/^This pod has more than one PodDisruptionBudget/);
    expect(refusalOf(path)).toMatchObject({ code: 500, message });
  });

  test('of a pod that is not ready follows the policy of the budget', async () => {
    const [path = ''] = await withPods(2);
    budget({ minAvailable: 2 });
    world.controllers.pause('kubelets');
    setReady(path, 'False');
    await world.run(1);
    expect(refusalOf(path)).toMatchObject({ code: 429 });
    world.merge(`${budgets}/app`, { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } });
    expect(refusalOf(path)).toBeUndefined();
    const ifHealthy = { unhealthyPodEvictionPolicy: null, minAvailable: 1 };
    world.merge(`${budgets}/app`, { spec: ifHealthy });
    await world.run(1);
    expect(refusalOf(path)).toBeUndefined();
    expect(statusOf()).toMatchObject({ disruptionsAllowed: 0 });
  });

  test('is refused until the budget was read in its present form', async () => {
    const [path] = await withPods(2);
    budget({ minAvailable: 0 });
    await world.run(1);
    world.server.store.write(...withGeneration(2));
    const message = 'The disruption budget app is still being processed by the server.';
    expect(refusalOf(path)).toMatchObject({
      code: 429,
      retryAfterSeconds: 10,
      details: { causes: [{ message }] },
    });
    await world.run(1);
    expect(statusOf()).toMatchObject({ observedGeneration: 2 });
    expect(refusalOf(path)).toBeUndefined();
  });
});

/** As a server counts them up. */
function withGeneration(generation: number): Parameters<typeof world.server.store.write> {
  const { store } = world.server;
  const entry = store.entryOfUid(world.read(`${budgets}/app`).metadata.uid);
  if (!entry) throw new Error('there is no budget');
  const { target, object } = entry;
  return [target, { ...object, metadata: { ...object.metadata, generation } }];
}

test('a controller that knows nothing new does not undo an eviction', async () => {
  budget({ maxUnavailable: 1 });
  const [first, second] = await withPods(3);
  world.controllers.pause('disruption controller');
  expect(refusalOf(first)).toBeUndefined();
  world.controllers.resume('disruption controller');
  await world.run(1);
  expect(refusalOf(second)).toMatchObject({ code: 429 });
});
