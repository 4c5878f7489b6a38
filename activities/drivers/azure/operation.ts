/**
 * Long-running operations. A write answers at once and names the operation; what becomes of it is
 * asked here and not by the SDK's poller, which gives a failed operation without its code, and
 * waits without a limit.
 */
import { AnswerBody, type RawResponse } from './answer-body.ts';
import { doingOf, operationPath, type Write } from './checkpoint.ts';
import { meaningOf } from './errors.ts';
import {
  innermostOf,
  isPassing,
  messageOf,
  OperationFailed,
  secondsOfRetryAfter,
} from './error-mapping.ts';
import { call, callRaw, type CallOptions, type Session } from './session.ts';
import { pause } from './wait.ts';

interface Poller {
  submitted(): Promise<void>;
}

export type Start = (
  options: CallOptions & { onResponse: (response: RawResponse) => void },
) => Poller;

export interface Submitted {
  /** With the address of its operation, if that can be asked. */
  write: Write;
  retryAfter: number | undefined;
}

/** Sends a write. `start` makes the SDK's poller, which is left alone after its first request. */
export async function submit(session: Session, write: Write, start: Start): Promise<Submitted> {
  let address: string | undefined;
  let retryAfter: number | undefined;
  const body = new AnswerBody();
  const onResponse = (response: RawResponse): void => {
    const { headers } = response;
    address = headers.get('azure-asyncoperation');
    retryAfter = secondsOfRetryAfter(headers.get('retry-after'));
    body.note(response);
  };
  await call(session, doingOf(write), (options) =>
    body.addedTo(start({ ...options, onResponse }).submitted()),
  );
  const operation = address ? operationPath(address, session.clients) : undefined;
  return { write: { ...write, ...(operation !== undefined && { operation }) }, retryAfter };
}

/**
 * False: Azure named no operation that can be asked, so the resource itself says what became of it.
 */
export async function untilDone(
  session: Session,
  { write, retryAfter }: Submitted,
): Promise<boolean> {
  let wait = retryAfter;
  for (let attempt = 0; write.operation !== undefined; attempt += 1) {
    await pause(session, { write, attempt, retryAfter: wait });
    const seen = await outcomeOf(session, write);
    if (seen.state === 'succeeded') return true;
    if (seen.state === 'unknown') return false;
    ({ retryAfter: wait } = seen);
  }
  return false;
}

export interface OperationState {
  /** `unclear`: this look failed. `unknown`: there is no operation that says. */
  state: 'underWay' | 'succeeded' | 'unclear' | 'unknown';
  retryAfter?: number | undefined;
}

/** One look at a write's operation; fails with `OperationFailed` if that did. */
export async function outcomeOf(session: Session, write: Write): Promise<OperationState> {
  if (write.operation === undefined) return { state: 'unknown' };
  const doing = doingOf(write);
  try {
    const { body, retryAfter } = await callRaw(session, doing, {
      method: 'GET',
      url: write.operation,
    });
    return { state: stateIn(doing, body), retryAfter };
  } catch (error) {
    if (error instanceof OperationFailed || session.signal.aborted) throw error;
    // Its permission may be missing, and Azure forgets it after a while; the resource is there to
    // be asked.
    if (!isPassing(error)) return { state: 'unknown' };
    return { state: 'unclear', retryAfter: error.retryAfterSeconds };
  }
}

function stateIn(
  doing: string,
  { status, error }: Record<string, unknown>,
): OperationState['state'] {
  switch (String(status).toLowerCase()) {
    case 'succeeded':
      return 'succeeded';
    case 'failed':
    case 'canceled':
      throw failed(doing, String(status), error);
    default:
      return 'underWay';
  }
}

function failed(doing: string, status: string, error: unknown): OperationFailed {
  const innermost = innermostOf(Object(error));
  return operationFailed(doing, {
    code: textOr(innermost.code, status),
    message: textOr(innermost.message, `the operation ended as ${status}`),
  });
}

export function operationFailed(
  doing: string,
  answer: { code: string; message: string },
): OperationFailed {
  return new OperationFailed({
    meaning: meaningOf(answer),
    message: messageOf(doing, answer),
    code: answer.code,
  });
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
