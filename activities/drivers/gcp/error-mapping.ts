/** A failed call of Compute Engine, in the words of the driver contract. */
import { DriverError } from '../driver.ts';
import { meanings } from '../error-meanings.ts';
import type { MeaningName } from '../error-meanings.ts';
import type { ComputeOperation } from './compute.ts';
import { meaningOf, meaningOfStranger } from './errors.ts';
import type { ComputeErrors } from './errors.ts';
import { nowMs } from '../../system/system.ts';

export interface ComputeFault {
  meaning: MeaningName;
  message: string;
  /** Only that of an insert may be true. */
  settled: boolean;
  retryAfterSeconds?: number | undefined;
}

export class ComputeError extends DriverError {
  readonly meaning: MeaningName;

  constructor({ meaning, message, settled, retryAfterSeconds }: ComputeFault) {
    const { code, ...rest } = meanings[meaning];
    super({
      code,
      message,
      settled,
      ...('kind' in rest && { kind: rest.kind }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
    this.meaning = meaning;
  }
}

/** What the driver itself found out: it has no answer of Google behind it. */
export function fault(meaning: MeaningName, message: string, settled = false): ComputeError {
  return new ComputeError({ meaning, message, settled });
}

export interface Answer {
  status: number;
  text: string;
  retryAfter: string | null;
}

interface ErrorBody {
  error?: {
    message?: string;
    status?: string;
    errors?: { reason?: unknown }[];
    details?: { reason?: unknown }[];
  };
}

export interface AnsweredCall {
  /** In words. */
  what: string;
  /** A refused insert made nothing. Default false. */
  isInsert?: boolean;
  /**
   * `instances/NAME`: only Google's word that just this is not there says so. Default: the call
   * asks for no single thing.
   */
  resource?: string;
}

export function errorOfAnswer(call: AnsweredCall, answer: Answer): ComputeError {
  const { what, isInsert = false } = call;
  const { status, text, retryAfter } = answer;
  const { isOfGoogle, reasons, words } = readBody(text);
  const meaning = isOfGoogle
    ? refined(call, { status, reasons, message: words })
    : meaningOfStranger(status);
  const reason = reasons.length > 0 ? ` ${[...new Set(reasons)].join(', ')}` : '';
  const whose = isOfGoogle ? '' : ' (not an answer of Google; is something in between?)';
  return new ComputeError({
    meaning,
    // As Google's Go client writes it: Gardener's extension knows a refusal by `Error 403`.
    message: `Google Compute Engine: ${what}: Error ${status}${reason}${whose}: ${words}`,
    settled: isInsert && meanings[meaning].isRefusal,
    retryAfterSeconds: secondsOf(retryAfter),
  });
}

function refined({ isInsert, resource }: AnsweredCall, errors: ComputeErrors): MeaningName {
  const meaning = meaningOf(errors);
  if (meaning !== 'missing') return meaning;
  // An image or a network that the class names does not exist.
  if (isInsert) return 'input';
  // `The resource 'projects/P/zones/Z/instances/NAME' was not found`.
  const isItself = resource !== undefined && errors.message.includes(`/${resource}'`);
  return isItself ? 'missing' : 'unknown';
}

function readBody(text: string): { isOfGoogle: boolean; reasons: string[]; words: string } {
  try {
    const body: ErrorBody | null = JSON.parse(text);
    const { message, errors = [], details = [], status } = body?.error ?? {};
    const reasons = [...details, ...errors].flatMap(({ reason }) =>
      typeof reason === 'string' ? [reason] : [],
    );
    const isOfGoogle = typeof message === 'string' || reasons.length > 0;
    return { isOfGoogle, reasons, words: message ?? status ?? clipped(text) };
  } catch {
    // Something in between answered, such as a proxy.
    return { isOfGoogle: false, reasons: [], words: clipped(text) };
  }
}

export function clipped(text: string): string {
  return text === '' ? 'an empty answer' : text.slice(0, 200);
}

/** Google sends seconds or a date. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null || retryAfter.trim() === '') return undefined;
  const seconds = Number(retryAfter);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const until = Date.parse(retryAfter);
  return Number.isNaN(until) ? undefined : Math.max(0, Math.ceil((until - nowMs()) / 1_000));
}

/** The error of an operation that is done and failed. */
export function errorOfOperation(
  what: string,
  { name, errors, errorStatus }: ComputeOperation,
  settled: boolean,
): ComputeError {
  const reasons = errors.map(({ code }) => code);
  const message = errors.map(({ message: words }) => words).join('; ');
  const status = errorStatus === undefined ? {} : { status: errorStatus };
  const named = meaningOf({ ...status, reasons, message });
  return new ComputeError({
    // An image or a network that the class names does not exist.
    meaning: named === 'missing' ? 'input' : named,
    message: `Google Compute Engine: ${what}: operation ${name} failed: ${reasons.join(', ')}: ${message}`,
    settled,
  });
}
