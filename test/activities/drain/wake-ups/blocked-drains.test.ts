import type { BlockedDrainsOptions } from '../../../../activities/drain/wake-ups/blocked-drains.ts';
import { BlockedDrains } from '../../../../activities/drain/wake-ups/blocked-drains.ts';
import type { DrainRef } from '../../../../activities/drain/wake-ups/pending-drains.ts';
import type { BlockedPod } from '../../../../workflows/plan/drain/wake-ups.ts';
import { eventually } from '../../../support/eventually.ts';
import { HandSystem } from '../../../support/hand-system.ts';
import { InMemoryClient } from '../../../support/api-server/in-memory-client.ts';

const listPath = '/apis/policy/v1/poddisruptionbudgets';
const budgetPath = '/apis/policy/v1/namespaces/default/poddisruptionbudgets/web';

function aBudget(disruptionsAllowed: number, changes: object = {}): object {
  return {
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'default', generation: 1 },
    spec: { selector: { matchLabels: { app: 'web' } } },
    status: { observedGeneration: 1, disruptionsAllowed },
    ...changes,
  };
}

const pod = (uid: string): BlockedPod => ({
  uid,
  namespace: 'default',
  labels: { app: 'web' },
  isReady: true,
});

const refOf = (workflowId: string): DrainRef => ({ workflowId, runId: 'r', activityId: '7' });

class Scene {
  readonly target: InMemoryClient;
  readonly woken: string[] = [];
  readonly errors: unknown[] = [];
  readonly options: BlockedDrainsOptions;
  readonly drains: BlockedDrains;
  wake: (drain: DrainRef) => Promise<void> = async ({ workflowId }) => {
    this.woken.push(workflowId);
  };

  constructor(...budgets: object[]) {
    this.target = new InMemoryClient(...budgets);
    this.options = {
      target: this.target,
      wake: (drain) => this.wake(drain),
      onError: (error) => this.errors.push(error),
      claimMs: 500,
    };
    this.drains = new BlockedDrains(this.options);
  }

  /** A pass that was refused, and ended. */
  block(workflowId: string, since: number, changes: Partial<BlockedPod> = {}): void {
    const pass = this.drains.begin(refOf(workflowId));
    pass.blocked([{ ...pod(`pod-of-${workflowId}`), ...changes }], since);
    pass.rest(20_000, []);
    pass.end();
  }

  async watching(): Promise<void> {
    await eventually('the budgets are watched', async () => this.target.watchCount === 1);
  }

  async untilWoken(...ids: string[]): Promise<void> {
    await eventually(`woken: ${ids.join()}`, async () => this.woken.length >= ids.length);
  }
}

let scene: Scene;
afterEach(() => scene.drains.close());

test('budgets are not read while no drain is blocked', async () => {
  scene = new Scene(aBudget(0));
  const pass = scene.drains.begin(refOf('a'));
  pass.blocked([], Infinity);
  pass.end();
  expect(scene.target.calls).toEqual([]);
});

describe('a budget', () => {
  test('a budget that begins to allow disruptions wakes as many drains, the longest blocked first', async () => {
    scene = new Scene(aBudget(0));
    scene.options.claimMs = 60_000;
    for (const [index, id] of ['c', 'b', 'a'].entries()) scene.block(id, 10 - index);
    await scene.watching();
    expect(scene.target.calls).toEqual([`GET ${listPath}`, `WATCH ${listPath}`]);
    scene.target.put(aBudget(2));
    await scene.untilWoken('a', 'b');
    expect(scene.woken.toSorted()).toEqual(['a', 'b']);
  });

  test('a budget that changes again wakes no second drain while the first has not tried', async () => {
    scene = new Scene(aBudget(0));
    scene.options.claimMs = 60_000;
    for (const [index, id] of ['c', 'b', 'a'].entries()) scene.block(id, 10 - index);
    await scene.watching();
    scene.target.put(aBudget(1));
    await scene.untilWoken('a');
    scene.target.put(aBudget(1));
    // Each is woken after the changes before it were looked at, and the spread of their wakes is
    // over.
    for (const other of ['d', 'e', 'f']) {
      scene.block(other, 1, { namespace: other });
      const metadata = { name: 'web', namespace: other, generation: 1 };
      scene.target.put(aBudget(1, { metadata }));
      await eventually(`woken: ${other}`, async () => scene.woken.includes(other));
    }
    expect(scene.woken).toEqual(['a', 'd', 'e', 'f']);
  });

  test('a budget that is deleted wakes all drains that it blocked', async () => {
    scene = new Scene(aBudget(0));
    for (const id of ['a', 'b', 'c']) scene.block(id, 1);
    await scene.watching();
    await scene.target.delete(budgetPath);
    await scene.untilWoken('a', 'b', 'c');
    expect(scene.woken.toSorted()).toEqual(['a', 'b', 'c']);
  });

  test('two budgets that select the same pod wake its drain when one of them goes', async () => {
    const other = { metadata: { name: 'other', namespace: 'default', generation: 1 } };
    scene = new Scene(aBudget(1), aBudget(1, other));
    scene.block('a', 1);
    await scene.watching();
    scene.target.put(aBudget(1, { spec: { selector: { matchLabels: { app: 'db' } } } }));
    await scene.untilWoken('a');
    expect(scene.woken.toSorted()).toEqual(['a']);
  });

  test('a budget that allowed disruptions before it was first read wakes a drain once for the same state', async () => {
    scene = new Scene(aBudget(1));
    scene.block('a', 1);
    await scene.untilWoken('a');
    expect(scene.woken.toSorted()).toEqual(['a']);
    scene.block('a', 1);
    // A sign that all that could wake has been looked at.
    scene.block('b', 2);
    await scene.untilWoken('a', 'b');
    expect(scene.woken.toSorted()).toEqual(['a', 'b']);
    // What this change allows is claimed for longer than the test lasts.
    scene.options.claimMs = 60_000;
    scene.woken.length = 0;
    scene.target.put(aBudget(1));
    await scene.untilWoken('a');
    expect(scene.woken.toSorted()).toEqual(['a']);
  });

  test('wakes a drain at any time of its longest rest', async () => {
    const system = new HandSystem();
    await system.run(async () => {
      scene = new Scene(aBudget(0));
      const pass = scene.drains.begin(refOf('a'));
      pass.blocked([pod('pod-of-a')], 1);
      pass.rest(120_000, []);
      pass.end();
      await system.to(119_000);
      expect(scene.target.watchCount).toBe(1);
      scene.target.put(aBudget(1));
      await system.to(119_900);
      expect(scene.woken).toEqual(['a']);
    });
  });

  test('leaves drains alone that are over', async () => {
    scene = new Scene(aBudget(0));
    scene.block('a', 1);
    scene.block('b', 2);
    scene.drains.begin(refOf('a')).end();
    await scene.watching();
    scene.target.put(aBudget(2));
    await scene.untilWoken('b');
    expect(scene.woken.toSorted()).toEqual(['b']);
  });
});

test('a running pass gets the pods that may go, and asks them again itself', async () => {
  scene = new Scene(aBudget(0));
  const pass = scene.drains.begin(refOf('a'));
  pass.blocked([pod('u')], 1);
  expect(pass.takeFreed()).toEqual([]);
  await scene.watching();
  // Longer than a test may take.
  const paused = pass.pause(600_000, new AbortController().signal);
  scene.target.put(aBudget(1));
  await paused;
  expect(pass.takeFreed()).toEqual(['u']);
  expect(pass.takeFreed()).toEqual([]);
  expect(scene.woken).toEqual([]);
});

test('a volume that moves wakes the drain that rests because of it, once for each rest', async () => {
  scene = new Scene();
  const rest = (workflowId: string, volume: string): void => {
    const pass = scene.drains.begin(refOf(workflowId));
    pass.blocked([], Infinity);
    pass.rest(20_000, [volume]);
    pass.end();
  };
  rest('a', 'one');
  rest('b', 'two');
  scene.drains.volumeMoved('one');
  scene.drains.volumeMoved('one');
  await scene.untilWoken('a');
  rest('a', 'one');
  scene.drains.volumeMoved('one');
  await scene.untilWoken('a', 'a');
  const running = scene.drains.begin(refOf('a'));
  scene.drains.volumeMoved('one');
  running.end();
  scene.drains.volumeMoved('two');
  await scene.untilWoken('a', 'a', 'b');
  expect(scene.woken).toEqual(['a', 'a', 'b']);
  // No budget was of interest.
  expect(scene.target.calls).toEqual([]);
});

test('a wake-up that fails is reported, and what it did not take is for the next drain', async () => {
  scene = new Scene(aBudget(0));
  scene.wake = async ({ workflowId }) => {
    scene.woken.push(workflowId);
    if (workflowId === 'a') throw new Error('Temporal is away');
  };
  scene.block('a', 1);
  scene.block('b', 2);
  await scene.watching();
  scene.target.put(aBudget(1));
  await eventually('the failure was told', async () => scene.errors.length === 1);
  expect(scene.errors).toMatchObject([{ message: 'Temporal is away' }]);
  await eventually('the other one was woken', async () => scene.woken.length === 2);
  expect(scene.woken).toEqual(['a', 'b']);
});

test('budgets that cannot be watched are reported, and no drain is woken', async () => {
  scene = new Scene(aBudget(1));
  scene.target.fault = () => ({ code: 403, reason: 'Forbidden', message: 'no' });
  scene.block('a', 1);
  await eventually('the refusal was told', async () => scene.errors.length > 0);
  expect(scene.woken).toEqual([]);
});
