/**
 * Calls of one account wait together once its cloud has said "too many calls"
 * (docs/decisions/0038-limits-that-protect-others.md).
 */
import { ClientCache } from '../../activities/drivers/client-cache.ts';
import type { Driver, MachineRequest, ProviderRequest } from '../../activities/drivers/driver.ts';
import { DriverError, DriverPending, pollWithinContract } from '../../activities/drivers/driver.ts';
import { withCalls, type Operation } from '../../activities/drivers/with-calls.ts';
import { monotonicMs, nowMs, sleep } from '../../activities/system/system.ts';
import { AccountPace } from './account-pace.ts';

export interface PaceParts {
  /** The cloud refused a call of this provider because there were too many. */
  onThrottled(provider: string): void;
  /** A call was not made yet. */
  onHeldBack(provider: string, operation: Operation): void;
  /** Shared by the drivers of all namespaces: they may call the same accounts. Default its own. */
  paces?: AccountPaces | undefined;
}

export type AccountPaces = ClientCache<AccountPace>;

export function createPaces(): AccountPaces {
  return new ClientCache<AccountPace>({ idleSeconds });
}

/** A shorter wait keeps its slot; milliseconds. */
const longestWaitMs = 1_000;
/** An account that is not called for so long is forgotten: twice the longest pause of a cloud. */
const idleSeconds = 7_200;

/** Fields of every call; those for a Machine have the rest. */
type AnyRequest = ProviderRequest & Partial<Pick<MachineRequest, 'machine' | 'checkpoint'>>;

/**
 * The same driver. A call whose turn has not come holds no slot: a create or a delete is pending,
 * any other fails with `Unavailable` and says when to ask again.
 */
export function pacedDriver(driver: Driver, provider: string, parts: PaceParts): Driver {
  const { paces = createPaces() } = parts;
  return withCalls(driver, (operation, call) => async (request) => {
    const scope = driver.limitScope?.(request.providerSpec) ?? '';
    const pace = paces.get([credentialsOf(request), scope], () => new AccountPace());
    const caller = callerOf(operation, request);
    const waitMs = pace.turn(caller);
    if (waitMs > longestWaitMs) {
      parts.onHeldBack(provider, operation);
      const message = wordsOf(scope === '' ? provider : `${provider} in ${scope}`, pace);
      throw heldBack(operation, request, { message, waitMs });
    }
    if (waitMs > 0) await untilItsTurn(waitMs, request);
    const begunAt = monotonicMs();
    try {
      const answer = await call(request);
      pace.answered(caller);
      return answer;
    } catch (error) {
      if (isThrottling(error)) parts.onThrottled(provider);
      throw learnt(pace, error, { caller, begunAt });
    }
  });
}

function isThrottling(error: unknown): error is DriverError {
  return error instanceof DriverError && error.kind === 'throttling';
}

/** With these it may be that the call was not heard. */
const unanswered: readonly string[] = ['Unavailable', 'DeadlineExceeded', 'Canceled'];

/** The cloud has read the request. */
function isAnswer(error: unknown): boolean {
  if (error instanceof DriverError) return !unanswered.includes(error.code);
  return error instanceof DriverPending;
}

/** Returns the error of the call: requests refused together are not tried again together. */
function learnt(
  pace: AccountPace,
  error: unknown,
  { caller, begunAt }: { caller: string; begunAt: number },
): unknown {
  if (isAnswer(error)) pace.answered(caller);
  if (!isThrottling(error)) return error;
  const { retryAfterSeconds } = error;
  const isOfAccount = pace.throttled({ caller, begunAt, retryAfterSeconds });
  return isOfAccount ? withPause(error, pace.turn(caller)) : error;
}

/** User data differs from pool to pool and gives no access to the cloud. */
function credentialsOf({ secret }: ProviderRequest): string {
  const parts = Object.entries(secret).filter(([name]) => name !== 'userData');
  return JSON.stringify(parts.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A Machine does one thing at a time; of the listings of a class one place serves all. */
function callerOf(operation: Operation, { machine, providerSpec }: AnyRequest): string {
  return JSON.stringify([operation, machine?.uid ?? providerSpec]);
}

/** The same as long as nothing changes: it stands in the Machine's status. */
function wordsOf(where: string, { pauseMs }: AccountPace): string {
  const said = `${where} gets too many calls from this account`;
  if (pauseMs === 0) return `${said}: they take turns`;
  const until = new Date(nowMs() + pauseMs).toISOString().slice(11, 19);
  return `${said}: no call before ${until} UTC`;
}

const canBePending: readonly Operation[] = ['create', 'initialize', 'delete'];

function heldBack(
  operation: Operation,
  { checkpoint }: AnyRequest,
  { message, waitMs }: { message: string; waitMs: number },
): DriverError | DriverPending {
  const seconds = waitMs / 1_000;
  if (canBePending.includes(operation)) {
    const pollAfterSeconds = pollWithinContract(seconds);
    return new DriverPending({ message, pollAfterSeconds, ...(checkpoint && { checkpoint }) });
  }
  const fault = { code: 'Unavailable', kind: 'throttling', settled: false } as const;
  return new DriverError({ ...fault, message, retryAfterSeconds: seconds });
}

function withPause(error: DriverError, waitMs: number): DriverError {
  const { code, message, kind, settled } = error;
  const retryAfterSeconds = Math.max(error.retryAfterSeconds ?? 0, waitMs / 1_000);
  const fault = { code, message, settled, retryAfterSeconds, cause: error };
  return new DriverError({ ...fault, ...(kind && { kind }) });
}

async function untilItsTurn(waitMs: number, { signal }: ProviderRequest): Promise<void> {
  try {
    await sleep(waitMs, { signal });
  } catch (cause) {
    const message = 'cancelled before the call was made';
    throw new DriverError({ code: 'Canceled', message, settled: false, cause });
  }
}
