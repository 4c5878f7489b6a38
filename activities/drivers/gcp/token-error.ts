/** Why there is no access token. */
import { ComputeError } from './error-mapping.ts';
import { meaningOf } from './errors.ts';

interface TokenAnswer {
  response?: { status?: unknown; data?: unknown };
}

/** Without a token nothing is sent: an insert is settled if credentials are the cause. */
export function errorOfToken(what: string, cause: unknown, isInsert: boolean): ComputeError {
  // Gardener's extension knows refused credentials by `cannot fetch token`, the words of Google's
  // Go client.
  const start = `Google Compute Engine: ${what}: cannot fetch token`;
  const { response }: TokenAnswer = Object(cause);
  if (!response) {
    const words = cause instanceof Error ? cause.message || cause.name : String(cause);
    const meaning = isOfTransport(cause) ? 'unavailable' : 'unauthenticated';
    return new ComputeError({ meaning, message: `${start}: ${words}`, settled: isInsert });
  }
  const status = Number(response.status);
  const { error, error_description: description } = Object(response.data);
  const reason = typeof error === 'string' ? error : '';
  const words = String(description ?? reason);
  const refused = meaningOf({ status, reasons: reason === '' ? [] : [reason], message: words });
  // A token endpoint says 400 to whatever is wrong with the credentials.
  const meaning = refused === 'input' || refused === 'forbidden' ? 'unauthenticated' : refused;
  const message = `${start}: ${status} ${reason}: ${words}`;
  return new ComputeError({ meaning, message, settled: isInsert });
}

/** Anything else without an answer is a key that cannot be used, or a file that is not there. */
function isOfTransport(cause: unknown): boolean {
  const code = String(Object(cause)['code'] ?? '');
  const broken = /^(ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|E(NET|HOST)UNREACH|EPIPE|ETIMEDOUT)$/;
  return broken.test(code) || /^(TimeoutError|AbortError|ERR_STREAM_PREMATURE_CLOSE)$/.test(code);
}
