/** What the errors of VMware Cloud Director mean. */
import { httpMeanings } from '../error-meanings.ts';
import type { MeaningName } from '../error-meanings.ts';

/** By its minor code. */
export const codeMeanings: Readonly<Record<string, MeaningName>> = {
  DUPLICATE_NAME: 'taken',
  /** Another task works on the same vApp or machine. */
  BUSY_ENTITY: 'conflict',
  OPERATION_LIMITS_EXCEEDED: 'throttling',
  ACCESS_TO_RESOURCE_IS_FORBIDDEN: 'forbidden',
  RESOURCE_NOT_FOUND: 'missing',
};

/** By the HTTP status, which is the major code as well. */
export const statusMeanings: Readonly<Record<number, MeaningName>> = {
  ...httpMeanings,
  404: 'missing',
};

/** By words, before codes: they are the same for many causes. The first that fits counts. */
export const wordsMeanings: readonly (readonly [RegExp, MeaningName])[] = [
  [/quota/i, 'quota'],
  [/insufficient|not enough|exceed\w* the (allocated|available|limit)/i, 'capacity'],
];
