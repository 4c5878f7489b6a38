/** What the workflow of a machine that has joined knows of its health. */
import type { HealthRequest } from '../contracts/machine-activities.ts';
import type { LifeRef } from '../contracts/references.ts';
import type { HealthFacts, Instance } from '../plan/machine/facts.ts';
import { mustWeigh } from './missing-instance.ts';
import { digestOf } from './node.ts';
import type { MachineState } from './state.ts';
import type { NodeSnapshot } from '../contracts/messages.ts';
import { defined } from '../values/defined.ts';
import type { HealthState } from '../plan/machine/health.ts';

/** Undefined for a machine that has not joined, or never will. */
export function healthFactsOf(state: MachineState): HealthFacts | undefined {
  const { health } = state;
  const node = state.node.seen;
  if (!hasJoined(state)) return undefined;
  const { seen, lookAt, waitsFor }: Partial<HealthState> = health ?? {};
  // What was signalled of its Node before this life is lost, and one that is Unknown needs its clock.
  const isUnread = health === undefined;
  const mustLook = isUnread || mustWeigh(state) || (node !== undefined && digestOf(node) !== seen);
  return defined({ mustLook, lookAt, waitsFor });
}

/** A Failed machine has joined if somebody has looked at its health. */
function hasJoined({ phase, health, object }: MachineState): boolean {
  if (object.prepared?.usesTarget === false) return false;
  if (phase === 'Failed') return health !== undefined;
  return phase === 'Running' || phase === 'Unknown';
}

export interface LookInput {
  machine: LifeRef;
  instance: Instance;
  /** The Node of this instance as it was seen last. */
  node: NodeSnapshot | undefined;
  before: HealthState | undefined;
  isInstanceGone: boolean;
  now: number;
}

export function healthRequestOf({
  machine,
  instance,
  node,
  before,
  isInstanceGone,
  now,
}: LookInput): HealthRequest {
  const { providerID, nodeName } = instance;
  return defined({
    machine,
    instance: { providerID, nodeName },
    // A watcher that began anew knows only that there is none, not that anybody deleted it.
    hasLostNode: node?.exists === false && node.uid !== '',
    isInstanceGone: isInstanceGone || undefined,
    since: sinceOf(before, now),
    stoodStill: before?.stoodStill ?? 0,
    now,
  });
}

/**
 * One that fell ill while nobody could see it counts from the first look that is answered. Its object may say Unknown since before the
 * outage: the step that wrote so did not come to its end.
 */
function sinceOf(before: HealthState | undefined, now: number): number | undefined {
  return before?.since ?? (before?.isOutOfReach ? now : undefined);
}

/** The spec was edited: the timeout or the list of conditions may be another. */
export function lookSoon({ health }: MachineState): void {
  if (health) health.lookAt = 0;
}

/** A look at the machine's health, or its join, has ended. */
export function noteHealth(state: MachineState, health: HealthState): void {
  state.health = health;
}
