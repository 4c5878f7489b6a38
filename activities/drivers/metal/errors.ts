/** What the errors of metal-stack's API mean. */
import { httpMeanings } from '../error-meanings.ts';
import type { MeaningName } from '../error-meanings.ts';

/** By the HTTP status. */
export const statusMeanings: Readonly<Record<number, MeaningName>> = {
  ...httpMeanings,
  404: 'missing',
  /** Another caller has changed the machine. What was begun of an allocation is rolled back. */
  409: 'conflict',
  /** Everything that has no status of its own, also trouble of the database. */
  422: 'unknown',
};

/** By the words of a 422, as the source of metal-api has them. The first that fits counts. */
export const wordsMeanings: readonly (readonly [RegExp, MeaningName])[] = [
  [/no machine available/, 'capacity'],
  [/unable to allocate an ip in network/, 'capacity'],
  [/project quota for machines reached/, 'quota'],
  [/too many parallel machine allocations/, 'throttling'],
  [/machine is locked/, 'precondition'],
  [/invalid public SSH key/, 'input'],
  [/unable to check for fsl match/, 'input'],
  [/unable to gather networks/, 'input'],
  [/is not compatible|no filesystemlayout/i, 'input'],
  [/project id must be specified/, 'input'],
  [/missing ip\(s\)|auto ?acquire/, 'input'],
];
