/**
 * Long-running operations. A write answers at once and names the operation; what becomes of it is asked here and not by the SDK's poller,
 * which gives a failed operation without its code, and waits without a limit.
 */
import { meaningOf } from './errors.ts';
import { messageOf, OperationFailed, secondsOfRetryAfter } from './failure.ts';
import { call, callRaw, pause, type CallOptions, type Session } from './session.ts';

interface Poller {
  submitted(): Promise<void>;
}

interface RawResponse {
  headers: { get(name: string): string | undefined };
}

export type Start = (
  options: CallOptions & { onResponse: (response: RawResponse) => void },
) => Poller;

/**
 * Sends a write and waits for its operation. `start` makes the SDK's poller, which is left alone after its first request. False: Azure named no
 * operation that can be asked, so the resource itself says what became of it.
 */
export async function submit(session: Session, doing: string, start: Start): Promise<boolean> {
  let operation: Operation | undefined;
  const onResponse = ({ headers }: RawResponse): void => {
    operation = operationIn(headers);
  };
  await call(session, doing, (options) => start({ ...options, onResponse }).submitted());
  // Our token goes to the operation's address.
  const { endpoint } = session.clients;
  if (!operation || new URL(operation.url).origin !== new URL(endpoint).origin) return false;
  await untilDone(session, doing, operation);
  return true;
}

interface Operation {
  url: string;
  retryAfter: number | undefined;
}

function operationIn(headers: RawResponse['headers']): Operation | undefined {
  const url = headers.get('azure-asyncoperation');
  return url ? { url, retryAfter: secondsOfRetryAfter(headers.get('retry-after')) } : undefined;
}

async function untilDone(session: Session, doing: string, operation: Operation): Promise<void> {
  let { retryAfter } = operation;
  for (let attempt = 0; ; attempt += 1) {
    await pause(session, { doing, attempt, retryAfter });
    const answer = await callRaw(session, doing, { method: 'GET', url: operation.url });
    const { status, error } = answer.body;
    switch (String(status).toLowerCase()) {
      case 'succeeded':
        return;
      case 'failed':
      case 'canceled':
        throw failed(doing, String(status), error);
      default:
        ({ retryAfter } = answer);
    }
  }
}

function failed(doing: string, status: string, error: unknown): OperationFailed {
  const innermost = innermostOf(Object(error));
  const answer = {
    code: textOr(innermost.code, status),
    message: textOr(innermost.message, `the operation ended as ${status}`),
  };
  return new OperationFailed({
    meaning: meaningOf(answer),
    message: messageOf(doing, answer),
    code: answer.code,
  });
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

interface ErrorBody {
  code?: unknown;
  message?: unknown;
  details?: unknown;
}

/** Some failures are wrapped: `ResourceOperationFailure` with the real one in its details. */
function innermostOf(error: ErrorBody): ErrorBody {
  const [detail] = Array.isArray(error.details) ? error.details : [];
  const isWrapped = ['ResourceOperationFailure', 'ResourceDeploymentFailure', 'DeploymentFailed'];
  if (typeof detail !== 'object' || !isWrapped.includes(String(error.code))) return error;
  return innermostOf(Object(detail));
}
