/**
 * Conditions that tools for every kind of object go by: Helm, Flux, and with a script Argo CD.
 * kstatus defines them (`pkg/kstatus` of sigs.k8s.io/cli-utils). They are there while they are
 * True, and at most one of them: of two, kstatus takes the first that it meets.
 */
import { isHoldCondition } from './deletion-hooks.ts';
import type { Condition } from './meta.ts';

export type UnsettledType = 'Reconciling' | 'Stalled';

/** Why an object is not as wanted. */
export interface Unsettled {
  /**
   * `Reconciling`: it is worked on. `Stalled`: it gets no further by itself; kstatus says Failed,
   * and Helm waits no longer.
   */
  type: UnsettledType;
  /** In one word, for programs. */
  reason: string;
  /** In words, with what helps. */
  message: string;
}

export function isUnsettledCondition({ type }: { type: string }): boolean {
  return type === 'Reconciling' || type === 'Stalled';
}

/** Those of others. */
export function withoutUnsettled<C extends { type: string }>(conditions: readonly C[] = []): C[] {
  return conditions.filter((condition) => !isUnsettledCondition(condition));
}

/** Those that a Machine copied from its Node. */
export function copiedConditions<C extends { type: string }>(conditions?: readonly C[]): C[] {
  return withoutUnsettled(conditions).filter((condition) => !isHoldCondition(condition));
}

export type UnsettledCondition = Condition & Unsettled & { lastTransitionTime: string };

/** `known`: the conditions so far; the time stays while the type does. Empty: it is as wanted. */
export function unsettledConditions(
  unsettled: Unsettled | undefined,
  known: readonly Condition[] = [],
  now: string,
): UnsettledCondition[] {
  if (!unsettled) return [];
  const { type, reason, message } = unsettled;
  const since = known.find((one) => one.type === type)?.lastTransitionTime;
  return [{ type, status: 'True', reason, message, lastTransitionTime: since ?? now }];
}
