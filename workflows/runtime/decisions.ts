/** The metric of what workflows decided to do. */
import { count } from './counters.ts';

/** Kinds whose workflows plan steps. */
type DecidingKind = 'machine' | 'machineSet' | 'machineDeployment';

/** To wait is no decision. */
export function countDecision(kind: DecidingKind, action: string): void {
  if (action !== 'wait') count('decisions', { kind, action });
}
