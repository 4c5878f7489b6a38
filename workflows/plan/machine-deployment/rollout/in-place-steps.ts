/** The next step of an update in place on Nodes and Machines: one at a time. */
import type { SetFacts } from './facts.ts';
import { presentIn } from './facts.ts';
import type { Selection } from './in-place-selection.ts';
import { markOf } from './set-steps.ts';
import type { Rollout } from './sizing.ts';
import { exists, mostOf } from './sizing.ts';
import type { InPlaceStep } from './steps.ts';

/** What an agent works on goes on to its end, whatever holds the rollout. */
export function finishingStepOf(rollout: Rollout): InPlaceStep | undefined {
  const { target } = rollout;
  if (!exists(target)) return undefined;
  return tidyOf(rollout) ?? moveOf(rollout) ?? unmarkOf(target);
}

/** @param selection Absent where people select. */
export function beginningStepOf(
  rollout: Rollout,
  selection: Selection | undefined,
): InPlaceStep | undefined {
  return markCandidatesOf(rollout) ?? (selection && selectOf(rollout, selection));
}

/**
 * With the label off the Machine, its set counts it as any other: not before its size does. One for
 * which there is no size any more is too many.
 */
function tidyOf({ facts, target, others }: Rollout): InPlaceStep | undefined {
  const names = [...others, target]
    .filter((set) => set.isObserved && set.replicas >= Math.min(presentIn(set), facts.replicas))
    .flatMap(({ inPlace }) => inPlace?.arrived ?? [])
    .slice(0, mostMachines);
  if (names.length === 0) return undefined;
  return { action: 'tidyUpdated', machines: names, reason: `updated: ${listed(names)}` };
}

/** Out of closed sets only: an open one would make another machine for each that leaves. */
function moveOf({ facts, target, others }: Rollout): InPlaceStep | undefined {
  const room = Math.max(mostOf(facts) - presentIn(target), 0);
  const names = others
    .filter(({ isClosed }) => isClosed)
    .flatMap(({ inPlace }) => inPlace?.updated ?? [])
    .slice(0, Math.min(room, mostMachines));
  if (names.length === 0) return undefined;
  const reason = `to MachineSet ${target.name}: ${listed(names)}`;
  return { action: 'moveMachines', machines: names, to: target.name, reason };
}

function unmarkOf({ name, inPlace }: SetFacts): InPlaceStep | undefined {
  const names = inPlace?.marked ?? [];
  if (names.length === 0) return undefined;
  const reason = `MachineSet ${name} is wanted again: ${listed(names)}`;
  return { action: 'unmarkNodes', machines: names, reason };
}

function markCandidatesOf({ target, others }: Rollout): InPlaceStep | undefined {
  const names = others.flatMap(({ inPlace }) => inPlace?.unmarked ?? []).slice(0, mostMachines);
  if (names.length === 0 || !exists(target)) return undefined;
  const reason = `to be updated to MachineSet ${target.name}: ${listed(names)}`;
  return { action: 'markCandidates', machines: names, reason };
}

function selectOf(rollout: Rollout, { machines, most }: Selection): InPlaceStep | undefined {
  if (machines.length === 0) return undefined;
  const reason = `next to be updated: ${listed(machines)}`;
  return { action: 'selectForUpdate', machines, most, ...markOf(rollout, true), reason };
}

/** Of one step. */
const mostMachines = 100;

const mostNamed = 3;

/** What is done to other machines is another step: its reason says which. */
export function listed(names: readonly string[]): string {
  const more = names.length - mostNamed;
  const first = names.slice(0, mostNamed).join(', ');
  return more > 0 ? `${first} and ${more} more` : first;
}
