/** What the errors of Anexia's Engine mean. */
import type { MeaningName } from '../error-meanings.ts';

/** By the HTTP status. */
export const statusMeanings: Readonly<Record<number, MeaningName>> = {
  400: 'input',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'missing',
  409: 'conflict',
  422: 'input',
  429: 'throttling',
  500: 'unavailable',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unanswered',
};

/** By the words of a task that failed. The first that fits counts. */
export const wordsMeanings: readonly (readonly [RegExp, MeaningName])[] = [
  [/quota|limit (reached|exceeded)/i, 'quota'],
  [/not enough|insufficient|no (free|available)|out of/i, 'capacity'],
  [/invalid|not found|does not exist/i, 'input'],
];
