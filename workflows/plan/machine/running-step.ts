/** Decides, while a step of one Machine runs beside the loop, if it goes on or is cancelled. */
import type { MachineStep, RunningStep } from './steps.ts';
import type { MachineFacts } from './facts.ts';
import { formatOperation } from './operation.ts';

/** Steps that a deletion cancels, in words. */
const needlessInDeletion: Partial<Record<RunningStep['name'], string>> = {
  create: 'creation',
  findStaleNode: 'a search for an earlier Node of its name',
  syncNode: 'a change of its Node',
  describeInstance: 'a search for its instance',
  getConsoleOutput: 'a read of the console of its instance',
};

export function planWhileRunning(facts: MachineFacts, running: RunningStep): MachineStep {
  const { name, isCancelRequested } = running;
  if (isCancelRequested) return { action: 'wait', reason: `${name} is being cancelled` };
  const reason = needlessBy(facts, name) ?? changeOfDrain(facts, running);
  if (reason !== undefined) return { action: 'cancel', reason };
  const { operation } = facts;
  return { action: 'wait', reason: operation ? formatOperation(operation) : `${name} is running` };
}

/** A deletionTimestamp goes only with an etcd that is restored from a backup of before. */
export function isUndone({ teardown, isDeleting, isGone }: MachineFacts): boolean {
  return teardown !== undefined && teardown.stage !== 'finished' && !isDeleting && !isGone;
}

function needlessBy(facts: MachineFacts, name: RunningStep['name']): string | undefined {
  if (isUndone(facts)) return `its deletion was undone during ${name}`;
  const needless = needlessInDeletion[name];
  if (needless !== undefined && (facts.isDeleting || facts.isGone)) {
    return `deletion requested during ${needless}`;
  }
  if (name === 'getConsoleOutput' && facts.isNodeReady) return 'its Node has joined after all';
  // The drain timeout or the class may be another: the step begins anew with what the object says
  // now.
  const mustRead = facts.teardown !== undefined && !facts.isRead;
  return mustRead ? `its spec was edited during ${name}` : undefined;
}

function changeOfDrain(
  { drain }: MachineFacts,
  { name, drain: begun }: RunningStep,
): string | undefined {
  if (name !== 'drain') return undefined;
  if (drain.byForce && !begun.byForce) return 'to be drained by force: label force-deletion';
  if (drain.options === begun.options) return undefined;
  return 'to be drained otherwise: its annotations changed';
}
