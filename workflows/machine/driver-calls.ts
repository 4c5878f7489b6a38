/**
 * The calls of a driver. Whatever comes of one is an outcome: also no answer, and one that makes no
 * sense.
 */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  log,
  patched,
} from '@temporalio/workflow';
import type {
  DriverCall,
  HeldDeleteOutcome,
  RecordedCreateOutcome,
} from '../contracts/driver-activities.ts';
import type {
  DeleteOutcome,
  DescribeOutcome,
  DriverRequest,
  Pending,
} from '../contracts/driver-contract.ts';
import type { LaunchOutcome, NewMachine } from '../contracts/launch-activities.ts';
import { clip } from '../values/clip.ts';
import type { CloudOperation } from './cloud-operation.ts';
import { whyUntaken } from './untaken.ts';
import type { AnswerContext, Senseless } from '../contracts/driver-answers.ts';
import {
  createdBy,
  deletedBy,
  describedBy,
  longestMessageBytes,
} from '../contracts/driver-answers.ts';
import { defined } from '../values/defined.ts';
import type { MachineFailure } from '../plan/machine/facts.ts';
import {
  driverCall,
  isUntaken,
  launchCall,
  messageOf,
  isNotServed,
  localFirst,
  timeoutOf,
} from '../runtime/activity-options.ts';

interface Failed {
  outcome: 'failed';
  failure: MachineFailure;
}

export interface OperationCall {
  request: DriverRequest;
  usesTarget: boolean;
  operation: CloudOperation;
  /**
   * Then the call is given up, milliseconds. As in MCM v0.62.1 the creation timeout holds in every
   * phase before Running; what was sent by then is found by its token.
   */
  deadline?: () => number | undefined;
}

type Following = Pick<OperationCall, 'request' | 'operation' | 'deadline'>;

export async function createOutcome({
  usesTarget,
  ...following
}: OperationCall): Promise<Recorded> {
  const { request } = following;
  const { provider, machine } = request;
  return await followed('create', following, async (asked, limit) => {
    const options = { call: 'create', summary: `create ${machine.name}`, ...limit } as const;
    const { createInstance } = driverCall(provider, options);
    const outcome: RecordedCreateOutcome = await createInstance(asked);
    const isContinued = asked.checkpoint !== undefined;
    return recordedBy(outcome, { ...contextOf(request, usesTarget), isContinued });
  });
}

type Recorded = Exclude<RecordedCreateOutcome, Pending>;

function recordedBy(
  outcome: RecordedCreateOutcome,
  context: Parameters<typeof createdBy>[1],
): Recorded | Pending {
  const answer = createdBy(outcome, context);
  if (answer.outcome !== 'created' || !outcome.isRecorded) return answer;
  const { isRecorded, joined, node } = outcome;
  return defined({ ...answer, isRecorded, joined, node });
}

/** `unsent`: the cloud was not asked. `unknown`: it may have been. */
export async function launchOutcome(
  request: NewMachine,
  deadline: number,
): Promise<LaunchOutcome | 'unsent' | 'unknown'> {
  const { provider, machine } = request;
  const options = { summary: `launch ${machine.name}`, ...limitBy(deadline) };
  try {
    const { read, created } = await launchCall(provider, options).launchMachine(request);
    if (!created || created.outcome === 'unknown' || !read.found) return defined({ read, created });
    const context = contextOf(request, read.machine.usesTarget);
    return { read, created: recordedBy(created, context) };
  } catch (error) {
    log.warn('it is launched step by step', { message: messageOf(error) });
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    return cause instanceof ApplicationFailure || isUntaken(error) ? 'unsent' : 'unknown';
  }
}

/** Outcome of a deletion that a drain began; undefined while it goes on in the cloud. */
export async function begunDeletion(
  { request, usesTarget, operation }: OperationCall,
  begun: HeldDeleteOutcome,
): Promise<Exclude<DeleteOutcome, Pending> | undefined> {
  const answer = deletedBy(begun, contextOf(request, usesTarget));
  if (!isPending(answer)) return meantBy(answer);
  await operation.handOver(answer);
  return undefined;
}

/** A form that guards what is made does not keep anything from being taken away. */
function meantBy<Answer extends object>(answer: Answer | Senseless<Answer>): Answer | Failed {
  if (!isSenseless(answer)) return answer;
  return patched('deletions-take-answers-as-meant') ? answer.meant : answer;
}

function isSenseless<Answer extends object>(
  answer: Answer | Senseless<Answer>,
): answer is Senseless<Answer> {
  return 'meant' in answer;
}

export async function deleteOutcome({
  request,
  usesTarget,
  operation,
}: OperationCall): Promise<Exclude<HeldDeleteOutcome, Pending>> {
  const summary = `delete ${request.machine.name}`;
  return await followed('delete', { request, operation }, async (asked) => {
    const { deleteInstance } = driverCall(request.provider, { call: 'delete', summary });
    const outcome: HeldDeleteOutcome = await deleteInstance(asked);
    const answer = meantBy(deletedBy(outcome, contextOf(request, usesTarget)));
    const isHeld = outcome.isHeld && answer.outcome === 'failed';
    return isHeld ? { ...answer, isHeld } : answer;
  });
}

export async function findOutcome({
  request,
  usesTarget,
  operation,
}: OperationCall): Promise<DescribeOutcome> {
  const summary = `find ${request.machine.name}`;
  return await followed('read', { request, operation }, async (asked) => {
    const { describeInstance } = driverCall(request.provider, { call: 'read', summary });
    return meantBy(describedBy(await describeInstance(asked), contextOf(request, usesTarget)));
  });
}

/** Asks until the cloud is done, and sleeps in between: the driver's slot is free meanwhile. */
async function followed<Answer extends { outcome: string }>(
  call: DriverCall,
  following: Following,
  ask: (request: DriverRequest, limit: { limitMs?: number }) => Promise<Answer | Pending>,
): Promise<Answer | Failed> {
  const { request, operation, deadline = () => undefined } = following;
  try {
    await operation.untilItsTurn();
    for (;;) {
      const asked = defined({ ...request, checkpoint: operation.checkpoint });
      const answer = await whenTaken(call, following, () => ask(asked, limitBy(deadline())));
      if (!isPending(answer)) {
        operation.end();
        return answer;
      }
      await operation.wait(answer, deadline());
      // Temporal is up to a second late with a timeout as short as what is left now, and the cloud
      // answers sooner than that: without this the call would go on and on.
      if (Date.now() >= (deadline() ?? Infinity)) {
        operation.end();
        return { outcome: 'failed', failure: givenUp() };
      }
    }
  } catch (error) {
    // A call that a deletion or a command cancelled may be sent again, from its checkpoint.
    if (!isCancellation(error)) operation.end();
    return failed(error, request);
  }
}

/** Longer than any machine lives; Temporal takes no timeout without an end. */
const longestLimitMs = 10 * 365 * 86_400_000;

/** Milliseconds until then. A limit of nothing would be none. */
function limitBy(deadline: number | undefined): { limitMs?: number } {
  if (deadline === undefined) return {};
  return { limitMs: Math.min(Math.max(deadline - Date.now(), 1), longestLimitMs) };
}

function isPending(answer: { outcome: string }): answer is Pending {
  return answer.outcome === 'pending';
}

/**
 * A task that no worker took while workers poll its queue waits for a free slot: nothing is wrong.
 */
async function whenTaken<Answer>(
  call: DriverCall,
  { request: { provider }, operation }: Following,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isUntaken(error)) throw error;
      const input = { provider, call };
      const words = `is provider ${provider} served?`;
      const service = await localFirst((steps) => steps.findDriver(input), words);
      if (!service.isServed) throw error;
      await operation.sayUntaken(whyUntaken(`${call} slots of provider ${provider}`, service));
    }
  }
}

/**
 * The time is over: of an attempt that runs, or before the next attempt, and then the cause is what
 * the last one said.
 */
function isGivenUp(error: unknown): boolean {
  if (timeoutOf(error) === 'SCHEDULE_TO_CLOSE') return true;
  return error instanceof ActivityFailure && error.retryState === 'TIMEOUT' && !isUntaken(error);
}

function contextOf(
  { provider }: Pick<DriverRequest, 'provider'>,
  usesTarget: boolean,
): AnswerContext {
  return { provider, usesTarget, isCancelled: CancellationScope.current().consideredCancelled };
}

function failed(error: unknown, { provider }: DriverRequest): Failed {
  return { outcome: 'failed', failure: failureOf(error, provider) };
}

/** A call that ended without an answer of the driver: what the cloud did is unknown. */
function failureOf(error: unknown, provider: string): MachineFailure {
  if (isCancellation(error)) {
    const message = 'cancelled by a deletion';
    return { code: 'Canceled', message, isSettled: false, wasCancelled: true };
  }
  if (isGivenUp(error)) return givenUp();
  if (isUntaken(error)) {
    const message = `no worker serves provider "${provider}": start one for its task queues, or fix the class's provider`;
    return { code: 'Unavailable', message, isSettled: false };
  }
  const message = clip(wordsOf(error, provider), longestMessageBytes);
  return { code: 'Internal', message, isSettled: false };
}

/** Not reported itself: the plan sees that the deadline has passed, and reports the timeout. */
function givenUp(): MachineFailure {
  const message = 'given up at the creation timeout';
  return { code: 'DeadlineExceeded', message, isSettled: false, wasCancelled: true };
}

function wordsOf(error: unknown, provider: string): string {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (!(cause instanceof ApplicationFailure) || !isNotServed(error)) return messageOf(error);
  return `the driver of provider "${provider}" does not serve ${error instanceof ActivityFailure ? error.activityType : 'it'}: start a version that does. It says: ${cause.message}`;
}
