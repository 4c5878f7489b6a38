/** What the errors of Prism Central's v3 API mean. */
import { httpMeanings } from '../error-meanings.ts';
import type { MeaningName } from '../error-meanings.ts';

/** By the HTTP status. */
export const statusMeanings: Readonly<Record<number, MeaningName>> = {
  ...httpMeanings,
  404: 'missing',
  405: 'unknown',
  /** Another request works on the same thing, or has changed it. */
  409: 'conflict',
  422: 'input',
};

/** By words of a refusal, of a failed task or of a machine in error. The first that fits counts. */
export const wordsMeanings: readonly (readonly [RegExp, MeaningName])[] = [
  [/quota|resource limit/i, 'quota'],
  [
    /NoHostResources|insufficient|not enough|no free ip|out of (memory|space|capacity)/i,
    'capacity',
  ],
  [/does not exist|not found|invalid|unsupported/i, 'input'],
];
