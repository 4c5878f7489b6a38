/** Why there is no access token. */
import { clipped, ComputeError } from './error-mapping.ts';
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
  const { reason, words } = readData(response.data);
  const reasons = reason === '' ? [] : [reason];
  const refused = meaningOf({ status, reasons, message: words });
  // A token endpoint answers 400 to all faults of the credentials; the account to be impersonated
  // may not exist.
  const isOfCredentials = refused === 'input' || refused === 'forbidden' || reason === 'NOT_FOUND';
  const meaning = isOfCredentials ? 'unauthenticated' : refused;
  const message = `${start}: ${[status, ...reasons].join(' ')}: ${words}`;
  return new ComputeError({ meaning, message, settled: isInsert });
}

/**
 * Tokens are given out by OAuth's endpoints, by Google's service for impersonation, which has
 * Google's own form of errors, and by the metadata server, which says a text.
 */
function readData(data: unknown): { reason: string; words: string } {
  if (typeof data === 'string') return { reason: '', words: clipped(data) };
  const { error, error_description: description } = Object(data);
  if (typeof error === 'string') return { reason: error, words: String(description ?? error) };
  const { status = '', message = '' } = Object(error);
  return { reason: String(status), words: clipped(String(message)) };
}

/** Anything else without an answer is a key that cannot be used, or a file that is not there. */
function isOfTransport(cause: unknown): boolean {
  const code = String(Object(cause)['code'] ?? '');
  return transportCodes.some((codes) => codes.test(code));
}

const transportCodes = [
  /^(ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|E(NET|HOST)UNREACH|EPIPE|ETIMEDOUT)$/,
  /^(TimeoutError|AbortError|ERR_STREAM_PREMATURE_CLOSE)$/,
  // Something in between has a certificate that is not Google's, or does not speak TLS or HTTP.
  /^(CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HPE_)|^EPROTO$/,
];
