/** How the Node of a machine is to be drained, and the call that asks for it. */
import { digestOfOptions } from '../api/drain-options.ts';
import type { DrainOutcome, DrainRequest } from '../contracts/drain-activities.ts';
import { drainActivities, isUntaken, localFirst } from '../runtime/activity-options.ts';
import type { ObjectReference } from '../contracts/references.ts';
import type { Instance } from '../plan/machine/facts.ts';
import type { DrainMode, RunningStep } from '../plan/machine/steps.ts';
import { defined } from '../values/defined.ts';
import { drainBeganAt, drainDeadlineOf, drainOptionsOf, evictRetriesOf } from './deadlines.ts';
import { joinedUidOf } from './node.ts';
import type { MachineState } from './state.ts';
import { whyUntaken } from './untaken.ts';

/** By what the object says now. */
export function drainModeOf(state: MachineState, step: RunningStep['name']): DrainMode {
  const { forceDeletion = false, preservation } = state.object.observed ?? {};
  const forcesDrain = preservation?.forcesDrain === true;
  const byForce = step === 'drain' ? forceDeletion : forcesDrain;
  return { byForce, options: digestOfOptions(drainOptionsOf(state)) };
}

/** Options that all drains share. */
export function drainRequestOf(
  context: { state: MachineState; machine(): ObjectReference },
  { nodeName, providerID }: Instance,
  step: 'drain' | 'drainPreserved' | 'drainInPlace',
): DrainRequest {
  const { state } = context;
  return defined({
    machine: context.machine(),
    nodeName,
    providerID,
    nodeUid: joinedUidOf(state),
    deadline: drainDeadlineOf(state),
    countsFrom: drainBeganAt(state),
    isForced: drainModeOf(state, step).byForce,
    maxEvictRetries: evictRetriesOf(state),
  });
}

export interface DrainCall {
  summary: string;
  /** As it is when the drain is asked for, which may be more than once. */
  request(): DrainRequest;
  /** No worker has taken the drain within a minute, and why. */
  onUntaken(why: string): Promise<void>;
}

/** Asks until a worker takes it, and says what that waits for. */
export async function drainOutcome({
  summary,
  request,
  onUntaken,
}: DrainCall): Promise<DrainOutcome> {
  const { drainNode } = drainActivities(summary);
  for (;;) {
    const asked = request();
    try {
      return await drainNode(asked);
    } catch (error) {
      if (!isUntaken(error)) throw error;
      // The Machine has to say that it goes, however long that waits for a worker.
      if (asked.begins) return { evictedPods: 0, isForced: false, isNotBegun: true };
      await onUntaken(await reasonUntaken());
    }
  }
}

async function reasonUntaken(): Promise<string> {
  const words = 'does a worker serve drains?';
  const service = await localFirst((steps) => steps.findDrainWorker(), words);
  return service.isServed
    ? whyUntaken('slots for drains', service)
    : 'no worker serves drains, start one with --serve=drain';
}
