/** Preserves a machine, and drains the Node of one that has failed. */
import { ActivityFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import type { PreserveOutcome, PreserveRequest } from '../../contracts/preservation-activities.ts';
import { messageOf, localFirstOnce } from '../../runtime/activity-options.ts';
import { defined } from '../../values/defined.ts';
import { drainOutcome, drainRequestOf } from '../drain-calls.ts';
import { endDrain } from '../drain.ts';
import { joinedUidOf, ownNodeOf } from '../node.ts';
import { showPreservation } from '../phase.ts';
import {
  beginPreservedDrain,
  endPreservedDrain,
  noteApplied,
  noteNothing,
  notePreservationOutage,
} from '../preservation.ts';
import type { MachineState } from '../state.ts';
import { instanceOf } from '../state.ts';
import type { StepContext } from './context.ts';

export async function preserve(context: StepContext): Promise<void> {
  const { state } = context;
  const { preservation, object } = state;
  const { observed } = object;
  const before = { ...(observed && { observed }), node: ownNodeOf(state) };
  const until = preservation?.kept?.until;
  const known = { until, drain: endOfDrain(state), nodeUid: joinedUidOf(state), now: Date.now() };
  const request = defined({ machine: context.machine(), ...known });
  const outcome = await preserveOnce(request);
  if (outcome.found === 'outOfReach' || outcome.found === 'refused') {
    notePreservationOutage(state, outcome.reason);
    return;
  }
  if (outcome.found === 'nothing') noteNothing(state, before);
  else noteApplied(state, before, outcome);
  if (state.preservation?.kept?.until !== until) showPreservation(state);
}

/** Tries once: a failure must not hold up the other steps of the Machine. */
async function preserveOnce(request: PreserveRequest): Promise<PreserveOutcome> {
  try {
    return await localFirstOnce((steps) => steps.preserveMachine(request), 'preservation');
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return { found: 'refused', reason: messageOf(error) };
  }
}

function endOfDrain({ preservation, requeues }: MachineState): { error?: string } | undefined {
  if (preservation?.drain?.isDone) return {};
  const { drainPreserved: failure } = requeues;
  return failure && { error: failure.message };
}

/**
 * As with a deletion, a pass that is blocked is tried again by Temporal; only what a person has to
 * fix ends it.
 */
export async function drainPreserved(context: StepContext): Promise<void> {
  const { state } = context;
  const drain = beginPreservedDrain(state);
  if (!drain) return;
  try {
    await drainKept(context);
    endPreservedDrain(state, drain);
  } catch (error) {
    const isCancelled = CancellationScope.current().consideredCancelled;
    if (isCancelled || !(error instanceof ActivityFailure)) throw error;
    endPreservedDrain(state, drain, messageOf(error));
  } finally {
    endDrain(state);
  }
}

async function drainKept(context: StepContext): Promise<void> {
  const { state } = context;
  const instance = instanceOf(state);
  if (!instance || !state.object.prepared) return;
  await drainOutcome({
    summary: `drain ${instance.nodeName}, which is preserved`,
    request: () => ({ ...drainRequestOf(context, instance, 'drainPreserved'), keepsNode: true }),
    async onUntaken(why) {
      const { requeues } = state;
      requeues.drainPreserved = {
        failures: 0,
        retryAt: 0,
        ...requeues.drainPreserved,
        message: why,
      };
      context.noteChange();
    },
  });
}
