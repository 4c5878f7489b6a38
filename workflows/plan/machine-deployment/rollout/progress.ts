/** The condition `Progressing`, as MCM v0.62.1 words it. */
import type { Period } from '../../../values/pauses.ts';
import { deadlineOf } from '../../../values/pauses.ts';
import { defined } from '../../../values/defined.ts';
import type { Progress } from './facts.ts';

export interface Counts {
  replicas: number;
  updatedReplicas: number;
  readyReplicas: number;
  availableReplicas: number;
}

export interface ConditionText {
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
}

export interface ProgressFacts {
  /** The condition as it stands, and when it was last renewed, milliseconds. */
  known?: ConditionText & { updatedAt: number };
  /** The counts of the status that goes with it. */
  before: Counts;
  counts: Counts;
  /** `spec.replicas`. */
  wanted: number;
  /** The set of the template, if there is one. */
  newSet?: { name: string; isFormer: boolean; replicas?: number };
  /** Name of the set whose rollout was finished, of which the condition may say no more. */
  finished?: string;
  /** Why the spec cannot be followed. */
  refusal?: { reason: string; message: string };
  /** Why the rollout stands still on purpose. */
  holdReason?: string;
  /** Why nothing can be created or deleted just now. */
  stopped?: string;
  deadlineSeconds?: number;
  /** When nothing could be done: the clock of the deadline does not run then. Default: never. */
  pauses?: readonly Period[];
  /** Milliseconds. */
  now: number;
}

/** `isRenewed`: progress, or another set: the clock of the deadline begins anew. */
export type Progressing = ConditionText & { isRenewed?: boolean };

/** Part of the message while an automatic rollback holds. */
export const rolledBackTo = 'rolled back to';

/** Undefined before there is a set, while nothing is wrong. */
export function progressingOf(facts: ProgressFacts): Progressing | undefined {
  const { known, refusal, newSet } = facts;
  if (refusal) return { status: 'False', ...refusal };
  return pauseOf(facts) ?? (newSet ? courseOf(facts, newSet) : known && textOf(known));
}

/**
 * The clock stands still, and begins anew afterwards. A rollout that was overdue before stays so.
 */
function pauseOf(facts: ProgressFacts): ConditionText | undefined {
  const { known } = facts;
  const isOver = isComplete(facts) || isOnlyScaling(facts);
  const holdReason = facts.holdReason ?? (isOver ? undefined : facts.stopped);
  if (holdReason !== undefined && known?.reason !== 'ProgressDeadlineExceeded') {
    return { status: 'Unknown', reason: 'DeploymentPaused', message: holdReason };
  }
  if (known?.reason !== 'DeploymentPaused' || isOver) return undefined;
  return { status: 'Unknown', reason: 'DeploymentResumed', message: 'Deployment is resumed' };
}

function courseOf(
  facts: ProgressFacts,
  { name, isFormer }: { name: string; isFormer: boolean },
): Progressing {
  if (isComplete(facts) || isOnlyScaling(facts)) return completed(name);
  if (!isAbout(facts, name))
    return { ...(isFormer ? found(name) : created(name)), isRenewed: true };
  if (hasProgressed(facts)) return { ...progressing(name), isRenewed: true };
  if (isOverdue(facts)) return timedOut(name);
  const { known } = facts;
  return known && clocked.has(known.reason) ? textOf(known) : progressing(name);
}

/**
 * Returns the facts of the condition that a plan needs. `written`: the condition as it is now, and
 * when it was last renewed.
 */
export function progressOf(
  facts: ProgressFacts,
  written: (ConditionText & { updatedAt: number }) | undefined,
): Progress {
  const reason = written?.reason ?? '';
  return defined({
    reason,
    isOverdue: reason === 'ProgressDeadlineExceeded',
    isComplete: isComplete(facts),
    // Before there is a set of the template, no deadline counts: one that has passed would end
    // every wait at once.
    deadline: facts.newSet && progressDeadlineOf(facts, written),
  });
}

/** Reasons while which the clock of the deadline runs. */
const clocked = new Set([
  'NewMachineSetCreated',
  'FoundNewMachineSet',
  'MachineSetUpdated',
  'DeploymentResumed',
]);

export function isComplete({
  counts,
  wanted,
  newSet,
}: Pick<ProgressFacts, 'counts' | 'wanted' | 'newSet'>): boolean {
  const { replicas, updatedReplicas, availableReplicas } = counts;
  const isWhole = [replicas, updatedReplicas, availableReplicas].every((count) => count === wanted);
  return newSet !== undefined && isWhole;
}

/**
 * A finished rollout stays finished while only `replicas` changes, or machines are missing: the
 * cluster autoscaler would take it for a new one, and so would the clock of the deadline.
 */
function isOnlyScaling({ known, counts, newSet, finished }: ProgressFacts): boolean {
  if (!newSet) return false;
  const { name } = newSet;
  const isSaid = known?.reason === 'NewMachineSetAvailable' && known.message.includes(`"${name}"`);
  return (isSaid || finished === name) && counts.replicas === counts.updatedReplicas;
}

/**
 * A new set counts up to its size: as machines that fail and go are counted until they are gone,
 * MCM v0.62.1 takes each replacement for progress, and a rollout whose machines never join is never
 * overdue.
 */
function hasProgressed({ before, counts, newSet }: ProgressFacts): boolean {
  const size = newSet?.replicas ?? Infinity;
  return (
    Math.min(counts.updatedReplicas, size) > Math.min(before.updatedReplicas, size) ||
    counts.readyReplicas > before.readyReplicas ||
    counts.availableReplicas > before.availableReplicas ||
    counts.replicas - counts.updatedReplicas < before.replicas - before.updatedReplicas
  );
}

function isOverdue(facts: ProgressFacts): boolean {
  const { known, now } = facts;
  if (known?.reason === 'ProgressDeadlineExceeded') return true;
  const deadline = progressDeadlineOf(facts, known);
  return deadline !== undefined && now >= deadline;
}

function progressDeadlineOf(
  { deadlineSeconds, pauses = [] }: ProgressFacts,
  condition: { reason: string; updatedAt: number } | undefined,
): number | undefined {
  if (!condition || deadlineSeconds === undefined || !clocked.has(condition.reason))
    return undefined;
  return deadlineOf({ from: condition.updatedAt, timeoutMs: deadlineSeconds * 1_000 }, pauses);
}

/**
 * The message names the set; that after a pause names none. A set that was given up and is wanted
 * again begins anew: the deadline that passed is not held against it.
 */
function isAbout({ known }: ProgressFacts, name: string): boolean {
  if (!known || known.message.includes(rolledBackTo)) return false;
  return known.reason === 'DeploymentResumed' || known.message.includes(`"${name}"`);
}

function created(name: string): ConditionText {
  return text('True', 'NewMachineSetCreated', `Created new machine set "${name}"`);
}

function found(name: string): ConditionText {
  return text('True', 'FoundNewMachineSet', `Found new machine set "${name}"`);
}

function progressing(name: string): ConditionText {
  return text('True', 'MachineSetUpdated', `MachineSet "${name}" is progressing.`);
}

function completed(name: string): ConditionText {
  const message = `MachineSet "${name}" has successfully progressed.`;
  return text('True', 'NewMachineSetAvailable', message);
}

function timedOut(name: string): ConditionText {
  return text(
    'False',
    'ProgressDeadlineExceeded',
    `MachineSet "${name}" has timed out progressing.`,
  );
}

function text(status: ConditionText['status'], reason: string, message: string): ConditionText {
  return { status, reason, message };
}

function textOf({ status, reason, message }: ConditionText): ConditionText {
  return { status, reason, message };
}
