/** Health of a machine that has joined, as its workflow knows it. */
import { hasJoined } from '../api/phases.ts';
import type { HealthRequest } from '../contracts/machine-activities.ts';
import type { ObjectReference } from '../contracts/references.ts';
import type { HealthFacts, Instance } from '../plan/machine/facts.ts';
import { mustEvaluate } from './missing-instance.ts';
import { digestOf } from './node.ts';
import type { MachineState } from './state.ts';
import type { NodeSnapshot } from '../contracts/snapshots.ts';
import { defined } from '../values/defined.ts';
import type { HealthState } from '../plan/machine/health.ts';

/** Undefined for a machine that has not joined, or never will. */
export function healthFactsOf(state: MachineState): HealthFacts | undefined {
  const { health } = state;
  const node = state.node.seen;
  if (!wasChecked(state)) return undefined;
  const { seen, checkAt, waitsFor }: Partial<HealthState> = health ?? {};
  // Signals about its Node from before this run are lost, and an Unknown machine needs its clock.
  const isUnread = health === undefined;
  const mustCheck =
    isUnread || mustEvaluate(state) || (node !== undefined && digestOf(node) !== seen);
  return defined({ mustCheck, checkAt, waitsFor });
}

/** A Failed machine has joined if its health was ever checked. */
function wasChecked({ phase, health, object }: MachineState): boolean {
  if (object.prepared?.usesTarget === false) return false;
  if (phase === 'Failed') return health !== undefined;
  return hasJoined(phase);
}

export interface HealthCheckInput {
  machine: ObjectReference;
  instance: Instance;
  /** The Node of this instance as it was seen last. */
  node: NodeSnapshot | undefined;
  /** The Node that went, as it was when a check decided on that. */
  lossSeen?: string | undefined;
  before: HealthState | undefined;
  isInstanceGone: boolean;
  now: number;
}

export function healthRequestOf({
  machine,
  instance,
  node,
  lossSeen,
  before,
  isInstanceGone,
  now,
}: HealthCheckInput): HealthRequest {
  const { providerID, nodeName } = instance;
  // A watcher that began anew knows only that there is none, not that it was deleted.
  const isLost = node?.exists === false && node.uid !== '';
  return defined({
    machine,
    instance: { providerID, nodeName },
    hasLostNode: isLost && digestOf(node) !== lossSeen,
    isInstanceGone: isInstanceGone || undefined,
    since: sinceOf(before, now),
    pausedMs: before?.pausedMs ?? 0,
    now,
  });
}

/**
 * If the Node became unhealthy during an outage of an API server, the health timeout starts at the
 * first check that gets an answer. Its object may say Unknown since before the outage: the step
 * that wrote so did not come to its end.
 */
function sinceOf(before: HealthState | undefined, now: number): number | undefined {
  return before?.since ?? (before?.isOutOfReach ? now : undefined);
}

/** The spec was edited: the timeout or the list of conditions may be another. */
export function checkSoon({ health }: MachineState): void {
  if (health) health.checkAt = 0;
}

/** A check of the machine's health, or its join, has ended. */
export function noteHealth(state: MachineState, health: HealthState): void {
  state.health = health;
}
