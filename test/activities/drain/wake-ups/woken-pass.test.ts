/** A pass that runs when a budget changes. */
import { BlockedDrains } from '../../../../activities/drain/wake-ups/blocked-drains.ts';
import type { DrainContext } from '../../../../activities/drain/context.ts';
import { drainNode } from '../../../../activities/drain/drain-node.ts';
import { WatchedAttachments } from '../../../../activities/drain/wake-ups/watched-attachments.ts';
import { namespaced } from '../../../../kube/client/paths.ts';
import { aNode, aPod } from '../../../support/builders.ts';
import { eventually } from '../../../support/eventually.ts';
import { InMemoryClient } from '../../../support/api-server/in-memory-client.ts';
import { lifeOf } from '../../../support/world.ts';

const refusal = {
  code: 429,
  reason: 'TooManyRequests',
  details: { causes: [{ message: 'The disruption budget web needs 1 healthy pods and has 1' }] },
};

function aBudget(disruptionsAllowed: number): object {
  return {
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'default', generation: 1 },
    spec: { selector: {} },
    status: { observedGeneration: 1, disruptionsAllowed },
  };
}

const onError = (error: unknown): void => {
  throw error;
};

let drains: BlockedDrains;
let attachments: WatchedAttachments;
afterEach(() => Promise.all([drains.close(), attachments.close()]));

function contextOn(target: InMemoryClient): DrainContext {
  drains = new BlockedDrains({ target, wake: async () => undefined, onError });
  attachments = new WatchedAttachments({ target, onError });
  return {
    control: new InMemoryClient(),
    target,
    watch: drains.begin({ workflowId: 'w', runId: 'r', activityId: '7' }),
    attachments,
    signal: new AbortController().signal,
    settings: { maxEvictRetries: 360, pvDetachTimeoutSeconds: 120, pvReattachTimeoutSeconds: 90 },
    details: undefined,
    isFirstAttempt: true,
    requireActiveWatcher: async () => undefined,
    pauses: [],
    save: () => undefined,
    report: async () => undefined,
    warn: onError,
  };
}

test('a pass that is woken asks its pod again at once, and not before', async () => {
  const deletionTimestamp = new Date(Date.now() + 20_000).toISOString();
  const going = aPod({ metadata: { name: 'going', deletionTimestamp, finalizers: ['x/y'] } });
  const target = new InMemoryClient(aNode(), aPod(), going, aBudget(0));
  target.fault = ({ path }) => (path.endsWith('/eviction') ? refusal : undefined);
  const end = drainNode(contextOn(target), {
    machine: lifeOf('pool-a'),
    nodeName: 'pool-a',
    providerID: 'local:///zone-1/i-1',
    deadline: Date.now() + 3_600_000,
    isForced: false,
    countsFrom: Date.now(),
  });
  await eventually('the budget is watched', async () => target.watchCount === 1);
  const looks = (): number => target.calls.filter((call) => call === 'GET /api/v1/pods').length;
  const before = looks();
  await eventually('it looked once more', async () => looks() > before);
  const evictions = (): string[] => target.calls.filter((call) => call.endsWith('/eviction'));
  expect(evictions()).toHaveLength(1);
  target.fault = () => undefined;
  target.put(aBudget(1));
  const podPath = namespaced('pods', 'default', 'web-0');
  await eventually('the pod has left', async () => !target.has(podPath));
  expect(evictions()).toHaveLength(2);
  const goingPath = namespaced('pods', 'default', 'going');
  await target.patch(goingPath, 'merge', { metadata: { finalizers: null } });
  expect(await end).toEqual({ evictedPods: 1, isForced: false });
});
