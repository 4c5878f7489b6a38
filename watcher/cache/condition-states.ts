/** States of conditions, for metrics: one text of an object, as thousands have a dozen each. */
import type { Condition } from '../../workflows/api/meta.ts';

/** Lines of `TYPE=STATUS`. */
export type ConditionStates = string;

export function conditionStatesOf(
  conditions: readonly Pick<Condition, 'type' | 'status'>[] | null | undefined,
): ConditionStates {
  return (conditions ?? []).map(({ type, status }) => `${type}=${status}`).join('\n');
}

/** By type. */
export function statusesIn(states: ConditionStates): [type: string, status: string][] {
  if (states === '') return [];
  return states.split('\n').map((line) => {
    const end = line.lastIndexOf('=');
    return [line.slice(0, end), line.slice(end + 1)];
  });
}
