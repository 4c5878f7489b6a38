/**
 * Waiting for EC2: for a while within a call, and beyond that from call to call by a checkpoint.
 */
import type { Instance } from '@aws-sdk/client-ec2';
import { DriverPending, pollWithinContract, DriverError } from '../driver.ts';
import { pollSeconds, Pauses, type Timing } from '../wait.ts';
import type { Ec2 } from './ec2.ts';
import { idOf, isLive, isNamed } from './instance-view.ts';
import { isPassing } from './error-mapping.ts';
import { spent } from './faults.ts';
import { parsedJson } from '../../../workflows/values/parsed-json.ts';

export interface Cloud {
  ec2: Ec2;
  timing: Timing;
  /** An instance of an earlier control cluster gets the tags of this one. */
  retags: boolean;
}

/** The checkpoint, as JSON. */
export interface Waiting {
  /**
   * What is waited for. Each of these is looked for by itself: EC2 may not list it by its tags yet,
   * or no more.
   */
  instanceIds: string[];
  /** What was said last; said again while looks fail. */
  words: string;
  /** In a create: the instance existed before it. */
  isFound: boolean;
  /** Looks in a row that found the instance no nearer to what is awaited. */
  idleLooks: number;
  /** Looks in a row that failed. */
  failedLooks: number;
}

/** After about two minutes of failed looks the call fails. */
const failedLooksMax = 5;
/**
 * Each failed look makes the next pause so many times longer, as failures often mean throttling.
 */
const patience = 1.5;
/** So that the checkpoint stays below 4 KiB. No Machine has as many. */
const instancesMax = 30;

/** Undefined if there is none, or none of ours. */
export function waitingIn(checkpoint: string | undefined): Waiting | undefined {
  const waiting = parsedJson(checkpoint);
  return isWaiting(waiting) ? waiting : undefined;
}

function isWaiting(value: unknown): value is Waiting {
  const { instanceIds, words, isFound, idleLooks, failedLooks }: Partial<Waiting> = Object(value);
  return (
    Array.isArray(instanceIds) &&
    instanceIds.every((id) => typeof id === 'string') &&
    typeof words === 'string' &&
    typeof isFound === 'boolean' &&
    typeof idleLooks === 'number' &&
    typeof failedLooks === 'number'
  );
}

/** `state`: instead of the one that EC2 lists. */
export function waitingFor(
  instances: readonly { instance: Instance; state?: string }[],
  more: Partial<Pick<Waiting, 'isFound' | 'idleLooks'>> = {},
): Waiting {
  const some = instances.slice(0, instancesMax);
  const words = some.map(
    ({ instance, state = instance.State?.Name }) => `instance ${idOf(instance)} is ${state}`,
  );
  return {
    instanceIds: some.map(({ instance }) => idOf(instance)),
    words: words.join(', '),
    isFound: false,
    idleLooks: 0,
    failedLooks: 0,
    ...more,
  };
}

/** `afterSeconds`: no earlier than EC2 wants. Default: at any time. */
export function pending(region: string, waiting: Waiting, afterSeconds = 0): DriverPending {
  const seconds = Math.max(pollSeconds.aws * patience ** waiting.failedLooks, afterSeconds);
  return new DriverPending({
    message: `EC2 in ${region}: ${waiting.words}`,
    pollAfterSeconds: pollWithinContract(Math.ceil(seconds)),
    checkpoint: JSON.stringify(waiting),
  });
}

/**
 * A look of an operation that is under way. One that fails for a moment does not end it; one after
 * the other does.
 */
export async function readOrWait<Answer>(
  region: string,
  waiting: Waiting | undefined,
  look: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await look();
  } catch (error) {
    if (!waiting || !isPassing(error) || waiting.failedLooks >= failedLooksMax) throw error;
    const failedLooks = waiting.failedLooks + 1;
    throw pending(region, { ...waiting, failedLooks }, error.retryAfterSeconds);
  }
}

/**
 * Asks until an answer is there, at once and after each pause. A question that fails for a moment
 * is asked again. Undefined when the time for pauses is over; if the last question failed, its
 * error. `ask` fails when the signal is aborted.
 */
export async function untilAnswered<Answer>(
  pauses: Pauses,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  for (;;) {
    const { answer, trouble } = await askOnce(ask);
    if (answer !== undefined) return answer;
    const { retryAfterSeconds } = trouble ?? {};
    // After an abort the next question fails as cancelled, with what was asked in its message.
    const goesOn = await pauses.next({ retryAfterSeconds }).catch(() => true);
    if (goesOn) continue;
    if (trouble) throw trouble;
    return undefined;
  }
}

async function askOnce<Answer>(
  ask: () => Promise<Answer>,
): Promise<{ answer?: Answer; trouble?: DriverError }> {
  try {
    return { answer: await ask() };
  } catch (error) {
    if (isPassing(error)) return { trouble: error };
    throw error;
  }
}

const limits = { limitSeconds: 30, firstPauseSeconds: 1, longestPauseSeconds: 5 };

/**
 * Both take seconds mostly. An instance that fails at its start is never named: `Aborted`, settled.
 */
export async function untilNamed(
  { ec2, timing }: Pick<Cloud, 'ec2' | 'timing'>,
  { signal }: { signal: AbortSignal },
  instance: Instance,
): Promise<Instance> {
  const id = idOf(instance);
  const pauses = new Pauses(limits, signal, timing);
  const named = await untilAnswered(pauses, async () => {
    const latest = await ec2.describeOne(id);
    if (latest && !isLive(latest)) throw spent(latest);
    return latest && isNamed(latest) ? latest : undefined;
  });
  if (named) return named;
  throw nameless(instance, `for ${limits.limitSeconds} s`);
}

export function nameless(instance: Instance, howLong: string): DriverError {
  const message =
    `instance ${idOf(instance)} is not listed with a private DNS name ${howLong}, and that is to be the name of its Node. ` +
    `If this stays so, switch on DNS hostnames and DNS support of its VPC`;
  return new DriverError({ code: 'Unavailable', message, settled: false });
}
