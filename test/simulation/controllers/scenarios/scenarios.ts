/**
 * What controllers do, as scenarios that run on ours and on the real ones alike: whoever sees more
 * or less than a scenario says, is wrong.
 */
import { disruptions } from './disruptions.ts';
import { nodesAndPods } from './nodes-and-pods.ts';
import { ownership } from './ownership.ts';
import type { Scenario } from './ownership.ts';

export const scenarios: readonly Scenario[] = [...ownership, ...disruptions, ...nodesAndPods];
