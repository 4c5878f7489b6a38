/**
 * The answers of drivers, which are written in any language and by other people. An answer that
 * makes no sense is a failure that names the field; whether an instance exists is not known then,
 * so its token is kept: the next try, or a deletion, finds it.
 */
import { clip, clipStart } from '../values/clip.ts';
import { isMachineErrorCode } from '../api/failures.ts';
import { quoted } from '../api/validation.ts';
import { longestPollSeconds } from './driver-activities.ts';
import type {
  ConsoleOutput,
  CreatedInstance,
  CreateOutcome,
  DeleteListedOutcome,
  DescribeOutcome,
  ListedInstance,
  ListOutcome,
  Pending,
  ValidateOutcome,
} from './driver-contract.ts';
import { longestConsoleBytes } from '../values/console-output.ts';
import { defined } from '../values/defined.ts';
import type { Instance, MachineFailure } from '../plan/machine/facts.ts';
import { machineFailureKinds } from '../plan/machine/facts.ts';
import { isRecord } from '../values/is-record.ts';
import type { Validator, Schema } from '../values/schema.ts';
import {
  errorIn,
  flag,
  listOf,
  name,
  objectOf,
  optional,
  pick,
  text,
  time,
} from '../values/schema.ts';

interface Failed {
  outcome: 'failed';
  failure: MachineFailure;
}

/** An answer that is not in order, and what it says all the same: enough for a deletion. */
export interface Senseless<Answer> extends Failed {
  meant: Answer;
}

type Created = Exclude<CreateOutcome, Pending>;
type Deleted = DeleteListedOutcome;

export interface AnswerContext {
  provider: string;
  /** The machine is to have a Node, whose name must be one. */
  usesTarget: boolean;
  /** We cancelled the call: only then may its failure be our doing. */
  isCancelled: boolean;
  /** The cloud is at work for a call before this one. */
  isContinued?: boolean;
}

/** It becomes the value of a label. */
const nodeName: Validator<string> = (value) =>
  typeof value === 'string' && /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(value)
    ? undefined
    : 'must be the name of a Node: at most 63 small letters, digits, dashes and dots';

const address: Schema<{ type: string; address: string }> = { type: text, address: text };

/** It becomes an annotation. */
const shortText: Validator<string> = (value) =>
  typeof value === 'string' && value.length <= 1_000
    ? undefined
    : 'must be a text of at most 1000 characters';

function instanceSchema({ usesTarget }: AnswerContext): Schema<CreatedInstance> {
  return {
    providerID: name,
    nodeName: usesTarget ? nodeName : text,
    isFound: flag,
    lastKnownState: optional(text),
    addresses: optional(listOf(objectOf(address), 100)),
    userDataOrigin: optional(shortText),
  };
}

const longestSettleSeconds = 86_400;

const settleSeconds: Validator<number> = (value) =>
  typeof value === 'number' && value >= 0 && value <= longestSettleSeconds
    ? undefined
    : `must be a number of seconds from 0 to ${longestSettleSeconds}`;

/** A driver that does not say for how long is taken for a slow one. */
const unknownSettleSeconds = 600;

const deletedSchema = { isFound: flag, settleSeconds };

const pollAfterSeconds: Validator<number> = (value) =>
  typeof value === 'number' && value >= 1 && value <= longestPollSeconds
    ? undefined
    : `must be a number of seconds from 1 to ${longestPollSeconds}`;

const longestCheckpoint = 4_096;

const checkpoint: Validator<string> = (value) =>
  typeof value === 'string' && value.length <= longestCheckpoint
    ? undefined
    : `must be a text of at most ${longestCheckpoint} characters`;

const pendingSchema: Schema<Omit<Pending, 'outcome'>> = {
  message: text,
  pollAfterSeconds,
  checkpoint: optional(checkpoint),
};

function pendingBy(answer: Pending, method: Method, context: AnswerContext): Pending | Failed {
  const fault = errorIn(answer, pendingSchema);
  if (fault !== undefined) return nonsense(method, fault, context);
  const pending = pick(answer, pendingSchema);
  return { ...pending, outcome: 'pending', message: clip(pending.message, longestMessageBytes) };
}

function isPending(answer: { outcome: string }): answer is Pending {
  return isRecord(answer) && answer['outcome'] === 'pending';
}

export function createdBy(answer: Created | Pending, context: AnswerContext): Created | Pending {
  if (isPending(answer)) return pendingBy(answer, 'createInstance', context);
  const { outcome, instance, failure }: Unvalidated = isRecord(answer) ? answer : {};
  if (outcome === 'failed')
    return { outcome, failure: failureIn(failure, 'createInstance', context) };
  const shape = instanceSchema(context);
  const fault =
    outcome === 'created'
      ? prefixed('instance', errorIn(instance, shape))
      : `outcome: ${quoted(outcome)}: must be created, pending or failed`;
  if (fault !== undefined || answer.outcome !== 'created') {
    return nonsense('createInstance', fault, context);
  }
  return { outcome: 'created', instance: pick(answer.instance, shape) };
}

export function deletedBy(
  answer: Deleted | Pending,
  context: AnswerContext,
): Deleted | Pending | Senseless<Deleted> {
  if (isPending(answer)) return pendingBy(answer, 'deleteInstance', context);
  return endedBy(answer, {
    context,
    method: 'deleteInstance',
    allowed: 'deleted, pending or failed',
  });
}

export function listedDeletedBy(answer: Deleted, context: AnswerContext): Deleted {
  return endedBy(answer, { context, method: 'deleteListed', allowed: 'deleted or failed' });
}

function endedBy(
  answer: Deleted,
  { context, method, allowed }: { context: AnswerContext; method: Method; allowed: string },
): Deleted | Senseless<Deleted> {
  const {
    outcome,
    failure,
    isFound,
    settleSeconds: seconds,
  }: Unvalidated = isRecord(answer) ? answer : {};
  if (outcome === 'failed') return { outcome, failure: failureIn(failure, method, context) };
  if (outcome !== 'deleted') {
    return nonsense(method, `outcome: ${quoted(outcome)}: must be ${allowed}`, context);
  }
  const fault = errorIn(answer, deletedSchema);
  if (fault === undefined) return answer;
  // After a create without an answer, a driver that does not report an instance is asked again.
  const isKnown = typeof seconds === 'number' && seconds >= 0;
  const settles = isKnown ? Math.min(seconds, longestSettleSeconds) : unknownSettleSeconds;
  const meant = { outcome, isFound: isFound === true, settleSeconds: settles } as const;
  return { ...nonsense(method, fault, context), meant };
}

/** Its pods are searched for by this name, and those that wait for a Node have none. */
const describedSchema = ({ usesTarget }: AnswerContext): Schema<Instance> => ({
  providerID: name,
  nodeName: usesTarget ? nodeName : text,
});

export function describedBy(
  answer: DescribeOutcome,
  context: AnswerContext,
): DescribeOutcome | Senseless<DescribeOutcome> {
  const { outcome, instance, failure }: Unvalidated = isRecord(answer) ? answer : {};
  if (outcome === 'failed')
    return { outcome, failure: failureIn(failure, 'describeInstance', context) };
  const fault =
    outcome === 'found'
      ? prefixed('instance', errorIn(instance, describedSchema(context)))
      : outcome === 'missing'
        ? errorIn(answer, { settleSeconds })
        : `outcome: ${quoted(outcome)}: must be found, missing or failed`;
  if (fault === undefined) return answer;
  return { ...nonsense('describeInstance', fault, context), meant: describedAllTheSame(instance) };
}

/** Name of a Node, though one of more than 63 characters is no label: it may be drained. */
const objectName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

/** The deletion itself searches once more, and needs no more than the identity. */
function describedAllTheSame(instance: unknown): DescribeOutcome {
  const { providerID, nodeName: node }: Partial<Record<keyof Instance, unknown>> = isRecord(
    instance,
  )
    ? instance
    : {};
  if (typeof providerID !== 'string' || name(providerID) !== undefined) {
    return { outcome: 'missing', settleSeconds: unknownSettleSeconds };
  }
  const isName = typeof node === 'string' && objectName.test(node);
  return { outcome: 'found', instance: { providerID, nodeName: isName ? node : '' } };
}

/** Keeps the end of a text that is too long. */
export function consoleOutputBy(answer: ConsoleOutput, context: AnswerContext): ConsoleOutput {
  const { outcome, text: printed, failure }: Unvalidated = isRecord(answer) ? answer : {};
  if (outcome === 'failed')
    return { outcome, failure: failureIn(failure, 'getConsoleOutput', context) };
  if (outcome === 'read' && typeof printed === 'string') {
    return { outcome, text: clipStart(printed, longestConsoleBytes) };
  }
  const fault =
    outcome === 'read'
      ? `text: ${quoted(printed)}: must be a text`
      : `outcome: ${quoted(outcome)}: must be read or failed`;
  return nonsense('getConsoleOutput', fault, context);
}

const faultsMax = 1_000;

export function validatedBy(answer: ValidateOutcome, context: AnswerContext): ValidateOutcome {
  const { outcome, failure }: Unvalidated = isRecord(answer) ? answer : {};
  if (outcome === 'failed')
    return { outcome, failure: failureIn(failure, 'validateClass', context) };
  const fault =
    outcome === 'validated'
      ? errorIn(answer, {
          faults: listOf(text, faultsMax),
          warnings: optional(listOf(text, faultsMax)),
        })
      : `outcome: ${quoted(outcome)}: must be validated or failed`;
  return fault === undefined ? answer : nonsense('validateClass', fault, context);
}

const listedSchema: Schema<ListedInstance> = {
  providerID: name,
  machineName: text,
  token: optional(text),
  createdAt: optional(time),
};

/** More would not fit into a history. */
export const listedMax = 5_000;

/** `error`: why there is none. */
export function listedBy(
  answer: ListOutcome,
  context: AnswerContext,
): { instances: ListedInstance[]; error?: string } {
  const { outcome, instances, failure }: Unvalidated = isRecord(answer) ? answer : {};
  if (outcome === 'failed') {
    const { code, message } = failureIn(failure, 'listInstances', context);
    return { instances: [], error: `${code}: ${message}` };
  }
  const must = listOf(objectOf(listedSchema), listedMax)(instances);
  const fault =
    outcome === 'listed'
      ? must && `instances: ${must}`
      : `outcome: ${quoted(outcome)}: must be listed or failed`;
  if (fault !== undefined || answer.outcome !== 'listed') {
    return { instances: [], error: nonsense('listInstances', fault, context).failure.message };
  }
  return { instances: answer.instances.map((one) => pick(one, listedSchema)) };
}

interface Unvalidated {
  outcome?: unknown;
  instance?: unknown;
  instances?: unknown;
  failure?: unknown;
  text?: unknown;
  isFound?: unknown;
  settleSeconds?: unknown;
}

function prefixed(field: string, fault: string | undefined): string | undefined {
  return fault === undefined ? undefined : `${field}.${fault}`;
}

type Method =
  | 'deleteListed'
  | 'createInstance'
  | 'deleteInstance'
  | 'describeInstance'
  | 'getConsoleOutput'
  | 'listInstances'
  | 'validateClass';

function nonsense(method: Method, fault: string | undefined, { provider }: AnswerContext): Failed {
  const message = `the driver of provider ${quoted(provider)} answered ${method} with ${fault}: fix the driver`;
  return { outcome: 'failed', failure: { code: 'Internal', message, isSettled: false } };
}

/** It stands in the status and in an Event. */
export const longestMessageBytes = 2_000;
/** A cloud that wants to be left alone for longer is asked all the same. */
const longestRetrySeconds = 3_600;

/**
 * A failure is taken for what can be read of it: it says more than our word that it is not in
 * order.
 */
function failureIn(failure: unknown, method: Method, context: AnswerContext): MachineFailure {
  if (!isRecord(failure)) {
    return nonsense(method, `failure: ${quoted(failure)}: must be an object`, context).failure;
  }
  const { code, message, isSettled, retryAfterSeconds, wasCancelled, during, kind } = failure;
  const isKnown = isMachineErrorCode(code);
  const words =
    typeof message === 'string' && message !== '' ? message : 'the driver does not say why';
  return defined({
    code: isKnown ? code : 'Internal',
    message: isKnown
      ? clip(words, longestMessageBytes)
      : `${clip(words, longestMessageBytes)} (the driver's code is ${quoted(code)})`,
    // A driver that leaves it out may have made an instance: it is searched for.
    isSettled: isKnown && isSettled === true,
    isUnsent: (failure.isUnsent === true && context.isContinued !== true) || undefined,
    retryAfterSeconds: pauseOf(retryAfterSeconds),
    wasCancelled: wasCancelled === true && context.isCancelled ? true : undefined,
    during: stages.find((stage) => stage === during),
    kind: machineFailureKinds.find((known) => known === kind),
  });
}

const stages = ['initialization', 'nodeLookup'] as const;

/** A cloud that says 0 is not to be asked in a loop: our own pace counts. */
function pauseOf(seconds: unknown): number | undefined {
  if (typeof seconds !== 'number' || !(seconds > 0)) return undefined;
  return Math.min(seconds, longestRetrySeconds);
}
