/** What DigitalOcean's errors mean, by its published description (specification/shared). */
import { httpMeanings, meaningIn } from '../error-meanings.ts';
import type { ErrorTable, MeaningName } from '../error-meanings.ts';
import type { Refusal, RestAnswer } from '../frame/http.ts';

/** By `id` of an answer. */
export const idMeanings = {
  too_many_requests: 'throttling',
  unauthorized: 'unauthenticated',
  forbidden: 'forbidden',
  bad_request: 'input',
  unprocessable_entity: 'input',
  not_found: 'missing',
  conflict: 'conflict',
  server_error: 'unavailable',
  service_unavailable: 'unavailable',
} as const satisfies ErrorTable;

/** By HTTP status, where the id is new. None means "missing": that takes the id. */
export const statusMeanings = {
  ...httpMeanings,
  '408': 'unanswered',
  '412': 'precondition',
  '422': 'input',
  '423': 'conflict',
} as const satisfies ErrorTable;

interface RefusalWords {
  words: RegExp;
  meaning: MeaningName;
}

/** `unprocessable_entity` is several things, which differ in their words only. */
const wordsMeanings: readonly RefusalWords[] = [
  { words: /(droplet|account|team|volume) limit|exceed\w* your .*limit/i, meaning: 'quota' },
  {
    words:
      /\b(size|region|slug)\b.*\b(not (currently )?available|unavailable)\b|sold out|(insufficient|not enough) capacity/i,
    meaning: 'capacity',
  },
];

/** Only of these the words count: of any other the id says all. */
const manyThings: readonly string[] = ['unprocessable_entity', 'forbidden'];

export function meaningOf(id: string, words: string, status?: number): MeaningName {
  const byWords = wordsMeanings.find((row) => row.words.test(words))?.meaning;
  if (byWords && manyThings.includes(id)) return byWords;
  return meaningIn(idMeanings, id) ?? meaningIn(statusMeanings, String(status)) ?? 'unknown';
}

/** Undefined where the answer has not DigitalOcean's form. */
export function refusalIn({ json, status }: RestAnswer): Refusal | undefined {
  const { id, message } = Object(json);
  if (typeof id !== 'string' || typeof message !== 'string') return undefined;
  return { meaning: meaningOf(id, message, status), code: id, words: message };
}
