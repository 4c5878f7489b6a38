/** A failed call of Compute Engine, in the words of the driver contract. */
import { DriverError } from '../driver.ts';
import { meanings } from '../error-meanings.ts';
import type { MeaningName } from '../error-meanings.ts';
import type { ComputeOperation } from './compute.ts';
import { meaningOf } from './errors.ts';

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

/** `what`: the call, in words. A refused insert made nothing. */
export function errorOfAnswer(what: string, answer: Answer, isInsert: boolean): ComputeError {
  const { status, text, retryAfter } = answer;
  const { reasons, words } = readBody(text);
  const named = meaningOf({ status, reasons, message: words });
  // An image or a network that the class names does not exist.
  const meaning = isInsert && named === 'missing' ? 'input' : named;
  const reason = reasons.length > 0 ? ` ${[...new Set(reasons)].join(', ')}` : '';
  return new ComputeError({
    meaning,
    message: `Google Compute Engine: ${what}: ${status}${reason}: ${words}`,
    settled: isInsert && meanings[meaning].isRefusal,
    retryAfterSeconds: secondsOf(retryAfter),
  });
}

function readBody(text: string): { reasons: string[]; words: string } {
  try {
    const body: ErrorBody | null = JSON.parse(text);
    const { message, errors = [], details = [], status } = body?.error ?? {};
    const reasons = [...details, ...errors].flatMap(({ reason }) =>
      typeof reason === 'string' ? [reason] : [],
    );
    return { reasons, words: message ?? status ?? clipped(text) };
  } catch {
    // Something in between answered, such as a proxy.
    return { reasons: [], words: clipped(text) };
  }
}

function clipped(text: string): string {
  return text === '' ? 'an empty answer' : text.slice(0, 200);
}

/** Google sends seconds or a date. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null || retryAfter.trim() === '') return undefined;
  const seconds = Number(retryAfter);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const until = Date.parse(retryAfter);
  return Number.isNaN(until) ? undefined : Math.max(0, Math.ceil((until - Date.now()) / 1_000));
}

/** Of an operation that is done and failed. */
export function errorOfOperation(
  what: string,
  { name, errors }: ComputeOperation,
  settled: boolean,
): ComputeError {
  const reasons = errors.map(({ code }) => code);
  const message = errors.map(({ message: words }) => words).join('; ');
  const named = meaningOf({ reasons, message });
  return new ComputeError({
    // An image or a network that the class names does not exist.
    meaning: named === 'missing' ? 'input' : named,
    message: `Google Compute Engine: ${what}: operation ${name} failed: ${reasons.join(', ')}: ${message}`,
    settled,
  });
}
