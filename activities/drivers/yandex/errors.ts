/** What the errors of Yandex Cloud mean: codes of gRPC, in answers and in operations. */
import type { MeaningName } from '../error-meanings.ts';
import type { Refusal, RestAnswer } from '../frame/http.ts';

/** By code of google.rpc.Code. */
export const codeMeanings: Readonly<Record<number, readonly [string, MeaningName]>> = {
  1: ['CANCELLED', 'conflict'],
  2: ['UNKNOWN', 'unknown'],
  3: ['INVALID_ARGUMENT', 'input'],
  4: ['DEADLINE_EXCEEDED', 'unanswered'],
  5: ['NOT_FOUND', 'missing'],
  6: ['ALREADY_EXISTS', 'taken'],
  7: ['PERMISSION_DENIED', 'forbidden'],
  8: ['RESOURCE_EXHAUSTED', 'quota'],
  9: ['FAILED_PRECONDITION', 'precondition'],
  10: ['ABORTED', 'conflict'],
  11: ['OUT_OF_RANGE', 'input'],
  12: ['UNIMPLEMENTED', 'input'],
  13: ['INTERNAL', 'unavailable'],
  14: ['UNAVAILABLE', 'unavailable'],
  15: ['DATA_LOSS', 'unavailable'],
  16: ['UNAUTHENTICATED', 'unauthenticated'],
};

/** One code says that the account may not have more, that the zone has no more, and "too fast". */
const exhausted: readonly (readonly [RegExp, MeaningName])[] = [
  [/request rate|too many requests|rate limit/i, 'throttling'],
  [/not enough resources|no (available )?resources|does not have enough/i, 'capacity'],
];

export interface Status {
  code: number;
  message: string;
}

export function refusalOf({ code, message }: Status): Refusal {
  const [name, usual] = codeMeanings[code] ?? [String(code), 'unknown'];
  const special = code === 8 ? exhausted.find(([words]) => words.test(message))?.[1] : undefined;
  return { meaning: special ?? usual, code: name, words: message.slice(0, 500) };
}

/** Undefined when the answer has not the form of Yandex Cloud. */
export function refusalIn({ json }: RestAnswer): Refusal | undefined {
  const { code, message } = Object(json);
  if (typeof code !== 'number' || typeof message !== 'string') return undefined;
  return refusalOf({ code, message });
}
