/** The steps of an update in place. */
import { ActivityFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import type { InPlaceOutcome, InPlaceRequest } from '../contracts/in-place-activities.ts';
import { localFirstOnce, messageOf } from '../runtime/activity-options.ts';
import { defined } from '../values/defined.ts';
import { drainOutcome, drainRequestOf } from './drain-calls.ts';
import { endDrain } from './drain.ts';
import {
  beginDrain,
  dropUpdateDrain,
  endUpdateDrain,
  inPlaceFactsOf,
  noteDrainUntaken,
  noteNotUpdated,
  noteUpdated,
} from './in-place.ts';
import { joinedUidOf, ownNodeOf } from './node.ts';
import { instanceOf } from './state.ts';
import type { StepContext } from './step-context.ts';

/** Does what is next on Machine or Node. */
async function updateInPlace(context: StepContext): Promise<void> {
  const { state } = context;
  const instance = instanceOf(state);
  if (!instance) return;
  const { providerID, nodeName } = instance;
  const before = ownNodeOf(state);
  const request = defined({
    machine: context.machine(),
    instance: { providerID, nodeName },
    nodeUid: joinedUidOf(state),
    isDrained: inPlaceFactsOf(state)?.isDrained ?? false,
    now: Date.now(),
  });
  const outcome = await updateOnce(request);
  if (outcome.found === 'machine') noteUpdated(state, before, outcome);
  else noteNotUpdated(state, 'reason' in outcome ? outcome.reason : 'Machine or Node is going');
}

/** Tries once: a failure must not hold up the other steps of the Machine. */
async function updateOnce(request: InPlaceRequest): Promise<InPlaceOutcome> {
  try {
    return await localFirstOnce((steps) => steps.updateInPlace(request), 'update in place');
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return { found: 'refused', reason: messageOf(error) };
  }
}

/** Its Node is cordoned and stays. */
async function drainInPlace(context: StepContext): Promise<void> {
  const { state } = context;
  const instance = instanceOf(state);
  if (!instance || !state.object.prepared) return;
  const drain = beginDrain(state);
  try {
    const { isEmptied = false } = await drainOutcome({
      summary: `drain ${instance.nodeName}, which is updated in place`,
      request: () => ({
        ...drainRequestOf(context, instance, 'drainInPlace'),
        keepsNode: true,
        isForUpdate: true,
      }),
      async onUntaken(why) {
        noteDrainUntaken(state, why);
        context.noteChange();
      },
    });
    // A worker of an earlier version does not know of it.
    endUpdateDrain(state, drain, isEmptied ? undefined : 'its Node was not drained');
  } catch (error) {
    const isCancelled = CancellationScope.current().consideredCancelled;
    if (isCancelled || !(error instanceof ActivityFailure)) throw error;
    endUpdateDrain(state, drain, messageOf(error));
  } finally {
    dropUpdateDrain(state);
    endDrain(state);
  }
}

export const inPlaceSteps = { updateInPlace, drainInPlace };
