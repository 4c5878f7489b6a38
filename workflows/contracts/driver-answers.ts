/**
 * The answers of drivers, which are written in any language and by anybody. One that makes no sense is a failure that names the
 * field; whether an instance exists is not known then, so its token is kept: the next try, or a deletion, finds it.
 */
import { clip } from '../values/clip.ts';
import { isMachineErrorCode } from '../api/failures.ts';
import { quoted } from '../api/validation.ts';
import { longestPollSeconds } from './driver-activities.ts';
import { defined } from '../values/defined.ts';
import type { Instance, MachineFailure } from '../plan/machine/plan.ts';
import { machineFailureKinds } from '../plan/machine/plan.ts';
import type { Check, Shape } from '../values/shape.ts';
import {
  faultIn,
  flag,
  isRecord,
  listOf,
  name,
  objectOf,
  optional,
  partOf,
  text,
  time,
} from '../values/shape.ts';

/** What a driver says of the instance that it made or found. */
export interface AnsweredInstance extends Instance {
  lastKnownState?: string;
  addresses?: { type: string; address: string }[];
  isFound: boolean;
}

export interface AnsweredListing {
  providerID: string;
  machineName: string;
  token?: string;
  createdAt?: number;
}

interface Failed {
  outcome: 'failed';
  failure: MachineFailure;
}

type Created = { outcome: 'created'; instance: AnsweredInstance } | Failed;
type Described =
  { outcome: 'found'; instance: Instance } | { outcome: 'missing'; settleSeconds: number } | Failed;
type Validated = { outcome: 'validated'; faults: string[]; warnings?: string[] } | Failed;
type Listed = { outcome: 'listed'; instances: AnsweredListing[] } | Failed;
type Deleted = { outcome: 'deleted'; isFound: boolean; settleSeconds: number } | Failed;

interface Pending {
  outcome: 'pending';
  message: string;
  pollAfterSeconds: number;
  checkpoint?: string;
}

export interface Asked {
  provider: string;
  /** The machine is to have a Node, whose name must be one. */
  usesTarget: boolean;
  /** We cancelled the call: only then may its failure be our doing. */
  isCancelled: boolean;
}

/** It becomes the value of a label. */
const nodeName: Check = (value) =>
  typeof value === 'string' && /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(value)
    ? undefined
    : 'must be the name of a Node: at most 63 small letters, digits, dashes and dots';

const address: Shape<{ type: string; address: string }> = { type: text, address: text };

function instanceShape({ usesTarget }: Asked): Shape<AnsweredInstance> {
  return {
    providerID: name,
    nodeName: usesTarget ? nodeName : text,
    isFound: flag,
    lastKnownState: optional(text),
    addresses: optional(listOf(objectOf(address), 100)),
  };
}

const longestSettleSeconds = 86_400;

const settleSeconds: Check = (value) =>
  typeof value === 'number' && value >= 0 && value <= longestSettleSeconds
    ? undefined
    : `must be a number of seconds from 0 to ${longestSettleSeconds}`;

const deletedShape = { isFound: flag, settleSeconds };

const pollAfterSeconds: Check = (value) =>
  typeof value === 'number' && value >= 1 && value <= longestPollSeconds
    ? undefined
    : `must be a number of seconds from 1 to ${longestPollSeconds}`;

const longestCheckpoint = 4_096;

const checkpoint: Check = (value) =>
  typeof value === 'string' && value.length <= longestCheckpoint
    ? undefined
    : `must be a text of at most ${longestCheckpoint} characters`;

const pendingShape: Shape<Omit<Pending, 'outcome'>> = {
  message: text,
  pollAfterSeconds,
  checkpoint: optional(checkpoint),
};

function pendingBy(answer: Pending, method: Method, asked: Asked): Pending | Failed {
  const fault = faultIn(answer, pendingShape);
  if (fault !== undefined) return nonsense(method, fault, asked);
  const pending = partOf(answer, pendingShape);
  return { ...pending, outcome: 'pending', message: clip(pending.message, longestMessageBytes) };
}

function isPending(answer: { outcome: string }): answer is Pending {
  return isRecord(answer) && answer['outcome'] === 'pending';
}

export function createdBy(answer: Created | Pending, asked: Asked): Created | Pending {
  if (isPending(answer)) return pendingBy(answer, 'createInstance', asked);
  const { outcome, instance, failure }: Loose = isRecord(answer) ? answer : {};
  if (outcome === 'failed')
    return { outcome, failure: failureIn(failure, 'createInstance', asked) };
  const shape = instanceShape(asked);
  const fault =
    outcome === 'created'
      ? prefixed('instance', faultIn(instance, shape))
      : `outcome: ${quoted(outcome)}: must be created, pending or failed`;
  if (fault !== undefined || answer.outcome !== 'created') {
    return nonsense('createInstance', fault, asked);
  }
  return { outcome: 'created', instance: partOf(answer.instance, shape) };
}

export function deletedBy(answer: Deleted | Pending, asked: Asked): Deleted | Pending {
  if (isPending(answer)) return pendingBy(answer, 'deleteInstance', asked);
  return endedBy(answer, {
    asked,
    method: 'deleteInstance',
    allowed: 'deleted, pending or failed',
  });
}

export function listedDeletedBy(answer: Deleted, asked: Asked): Deleted {
  return endedBy(answer, { asked, method: 'deleteListed', allowed: 'deleted or failed' });
}

function endedBy(
  answer: Deleted,
  { asked, method, allowed }: { asked: Asked; method: Method; allowed: string },
): Deleted {
  const { outcome, failure }: Loose = isRecord(answer) ? answer : {};
  if (outcome === 'failed') return { outcome, failure: failureIn(failure, method, asked) };
  const fault =
    outcome === 'deleted'
      ? faultIn(answer, deletedShape)
      : `outcome: ${quoted(outcome)}: must be ${allowed}`;
  return fault === undefined ? answer : nonsense(method, fault, asked);
}

const describedShape: Shape<Instance> = { providerID: name, nodeName: text };

export function describedBy(answer: Described, asked: Asked): Described {
  const { outcome, instance, failure }: Loose = isRecord(answer) ? answer : {};
  if (outcome === 'failed')
    return { outcome, failure: failureIn(failure, 'describeInstance', asked) };
  const fault =
    outcome === 'found'
      ? prefixed('instance', faultIn(instance, describedShape))
      : outcome === 'missing'
        ? faultIn(answer, { settleSeconds })
        : `outcome: ${quoted(outcome)}: must be found, missing or failed`;
  return fault === undefined ? answer : nonsense('describeInstance', fault, asked);
}

const faultsMax = 1_000;

export function validatedBy(answer: Validated, asked: Asked): Validated {
  const { outcome, failure }: Loose = isRecord(answer) ? answer : {};
  if (outcome === 'failed') return { outcome, failure: failureIn(failure, 'validateClass', asked) };
  const fault =
    outcome === 'validated'
      ? faultIn(answer, {
          faults: listOf(text, faultsMax),
          warnings: optional(listOf(text, faultsMax)),
        })
      : `outcome: ${quoted(outcome)}: must be validated or failed`;
  return fault === undefined ? answer : nonsense('validateClass', fault, asked);
}

const listedShape: Shape<AnsweredListing> = {
  providerID: name,
  machineName: text,
  token: optional(text),
  createdAt: optional(time),
};

/** More would not fit into a history. */
export const listedMax = 5_000;

/** `error`: why there is none. */
export function listedBy(
  answer: Listed,
  asked: Asked,
): { instances: AnsweredListing[]; error?: string } {
  const { outcome, instances, failure }: Loose = isRecord(answer) ? answer : {};
  if (outcome === 'failed') {
    const { code, message } = failureIn(failure, 'listInstances', asked);
    return { instances: [], error: `${code}: ${message}` };
  }
  const must = listOf(objectOf(listedShape), listedMax)(instances);
  const fault =
    outcome === 'listed'
      ? must && `instances: ${must}`
      : `outcome: ${quoted(outcome)}: must be listed or failed`;
  if (fault !== undefined || answer.outcome !== 'listed') {
    return { instances: [], error: nonsense('listInstances', fault, asked).failure.message };
  }
  return { instances: answer.instances.map((one) => partOf(one, listedShape)) };
}

interface Loose {
  outcome?: unknown;
  instance?: unknown;
  instances?: unknown;
  failure?: unknown;
}

function prefixed(field: string, fault: string | undefined): string | undefined {
  return fault === undefined ? undefined : `${field}.${fault}`;
}

type Method =
  | 'deleteListed'
  | 'createInstance'
  | 'deleteInstance'
  | 'describeInstance'
  | 'listInstances'
  | 'validateClass';

function nonsense(method: Method, fault: string | undefined, { provider }: Asked): Failed {
  const message = `the driver of provider ${quoted(provider)} answered ${method} with ${fault}: mend the driver`;
  return { outcome: 'failed', failure: { code: 'Internal', message, isSettled: false } };
}

/** It stands in the status and in an Event. */
export const longestMessageBytes = 2_000;
/** A cloud that wants to be left alone for longer is asked all the same. */
const longestRetrySeconds = 3_600;

/** A failure is taken for what can be read of it: it says more than our word that it is not in order. */
function failureIn(failure: unknown, method: Method, asked: Asked): MachineFailure {
  if (!isRecord(failure)) {
    return nonsense(method, `failure: ${quoted(failure)}: must be an object`, asked).failure;
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
    // Who does not say so left us in the dark.
    isSettled: isKnown && isSettled === true,
    retryAfterSeconds: pauseOf(retryAfterSeconds),
    wasCancelled: wasCancelled === true && asked.isCancelled ? true : undefined,
    during: stages.find((stage) => stage === during),
    kind: machineFailureKinds.find((known) => known === kind),
  });
}

const stages = ['initialization', 'nodeLookup'] as const;

function pauseOf(seconds: unknown): number | undefined {
  if (typeof seconds !== 'number' || !(seconds >= 0)) return undefined;
  return Math.min(seconds, longestRetrySeconds);
}
