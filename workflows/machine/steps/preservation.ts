/** Preserves a machine, and drains the Node of one that has failed. */
import { ActivityFailure, CancellationScope } from '@temporalio/workflow';
import type { LifeRef } from '../../contracts/references.ts';
import type { PreservationDrain } from '../preservation.ts';
import { noteLook, noteNothing } from '../preservation.ts';
import { endDrain, showPreservation } from '../phase.ts';
import type { MachineState } from '../state.ts';
import { drainBeganAt, drainDeadlineOf, ownNodeOf } from '../state.ts';
import { stepBackoffSeconds } from '../../plan/step-backoff.ts';
import { defined } from '../../values/defined.ts';
import { drainSteps, messageOf, shortStep } from '../../runtime/activity-options.ts';

export async function preserve(state: MachineState, machine: LifeRef): Promise<void> {
  const { preservation, observed } = state;
  const before = { ...(observed && { observed }), node: ownNodeOf(state) };
  const until = preservation?.kept?.until;
  const input = defined({ machine, until, drain: endOfDrain(state), now: Date.now() });
  const outcome = await shortStep((steps) => steps.preserveMachine(input), 'preservation');
  if (outcome.found === 'outOfReach' || outcome.found === 'refused') {
    noteOutage(state, outcome.reason);
    return;
  }
  if (outcome.found === 'nothing') noteNothing(state, before);
  else noteLook(state, before, outcome);
  if (state.preservation?.kept?.until !== until) showPreservation(state);
}

function endOfDrain({ preservation }: MachineState): { error?: string } | undefined {
  const { isDone, error }: { isDone?: boolean; error?: string } = preservation?.drain ?? {};
  if (isDone) return {};
  return error === undefined ? undefined : { error };
}

function noteOutage(state: MachineState, reason: string): void {
  const { preservation = { seen: '' } } = state;
  const attempts = (preservation.outage?.attempts ?? 0) + 1;
  const wait = stepBackoffSeconds({ attempts, random: Math.random() });
  preservation.outage = { reason, attempts, retryAt: Date.now() + wait * 1000 };
  state.preservation = preservation;
}

/** As with a deletion, a pass that is blocked is tried again by Temporal; only what a person has to mend ends it. */
export async function drainPreserved(state: MachineState, machine: LifeRef): Promise<void> {
  const { preservation } = state;
  if (!preservation) return;
  const { drain = { startedAt: Date.now(), isDone: false, attempts: 0 } } = preservation;
  preservation.drain = drain;
  try {
    await drainNode(state, machine);
    drain.isDone = true;
    delete drain.error;
  } catch (error) {
    const isCancelled = CancellationScope.current().consideredCancelled;
    if (isCancelled || !(error instanceof ActivityFailure)) throw error;
    noteFailure(drain, messageOf(error));
  } finally {
    endDrain(state);
  }
}

async function drainNode(state: MachineState, machine: LifeRef): Promise<void> {
  const { instance, prepared, observed } = state;
  if (!instance || !prepared) return;
  const { nodeName, providerID } = instance;
  const steps = drainSteps(`drain ${nodeName}, which is preserved`);
  await steps.drainNode(
    defined({
      machine,
      nodeName,
      providerID,
      deadline: drainDeadlineOf(state),
      countsFrom: drainBeganAt(state),
      isForced: observed?.preservation?.forcesDrain ?? false,
      maxEvictRetries: prepared.limits.maxEvictRetries,
      keepsNode: true,
    }),
  );
}

function noteFailure(drain: PreservationDrain, message: string): void {
  drain.attempts += 1;
  drain.error = message;
  const wait = stepBackoffSeconds({ attempts: drain.attempts, random: Math.random() });
  drain.retryAt = Date.now() + wait * 1_000;
}
