/** What the errors of Anexia's Engine mean. */
import { httpMeanings } from '../error-meanings.ts';
import type { MeaningName } from '../error-meanings.ts';

/** By the HTTP status. */
export const statusMeanings: Readonly<Record<number, MeaningName>> = {
  ...httpMeanings,
  404: 'missing',
  422: 'input',
};

/** By the words of a task that failed. The first that fits counts. */
export const wordsMeanings: readonly (readonly [RegExp, MeaningName])[] = [
  [/quota|limit (reached|exceeded)/i, 'quota'],
  [/not enough|insufficient|no (free|available)|out of/i, 'capacity'],
  [/invalid|not found|does not exist/i, 'input'],
];
