/** Updates in place, as the judge reads them of Nodes and Machines (MCM 7.9). */
import { conditionOf, isAvailable, ownerOf, phaseOf } from './objects.ts';
import type { JudgedObject } from './objects.ts';
import type { ClusterPast } from './past/cluster-past.ts';
import type { Life } from './past/lives.ts';
import { isOfTemplate } from './templates.ts';

const prefix = 'node.machine.sapcloud.io';
export const candidateLabel = `${prefix}/candidate-for-update`;
export const selectedLabel = `${prefix}/selected-for-update`;
export const resultLabel = `${prefix}/update-result`;
export const failedReason = `${prefix}/update-failed-reason`;
const failureOption = 'millwright.dev/in-place-failure';

export function isInPlace({ spec }: JudgedObject): boolean {
  return spec?.strategy?.type === 'InPlaceUpdate';
}

export function isAutomatic({ spec }: JudgedObject): boolean {
  return spec?.strategy?.inPlaceUpdate?.orchestrationType === 'Auto';
}

/** A machine whose update fails is not replaced for that. */
export function stopsAtFailure({ metadata }: JudgedObject): boolean {
  return metadata.annotations?.[failureOption] !== 'replace';
}

/** Empty: the Node, or the Machine that has a copy, says nothing of an update. */
export function reasonOf(object: JudgedObject): string {
  const { status, reason = '' } = conditionOf(object, 'InPlaceUpdate') ?? {};
  return status === 'True' ? reason : '';
}

export const isSelected = ({ metadata }: JudgedObject): boolean =>
  metadata.labels?.[selectedLabel] === 'true';

export const resultOf = ({ metadata }: JudgedObject): string | undefined =>
  metadata.labels?.[resultLabel];

/** Of a Node: the agent works on it, may begin at any moment, or has failed. */
export function isUnderWay(node: JudgedObject): boolean {
  const isAsked = ['DrainSuccessful', 'ReadyForUpdate', 'UpdateFailed'].includes(reasonOf(node));
  return isAsked || (isSelected(node) && reasonOf(node) !== 'UpdateSuccessful');
}

/** The Node of the instance that a Machine names. */
export function nodeLifeOf(target: ClusterPast, machine: JudgedObject): Life | undefined {
  const { providerID } = machine.spec ?? {};
  const node = target.nodes.named('', machine.metadata.labels?.['node'] ?? '');
  return node && providerID === node.last.spec?.providerID ? node : undefined;
}

/** A pool in the middle of an update, at a moment. */
export interface Standing {
  /** Machines that are not being deleted. */
  present: number;
  available: number;
  /** Whose Node is selected or under way, and whose update is not successful yet. */
  selected: number;
  /** Of these, those that are still available. */
  selectedAvailable: number;
  /** In the set of the template, and not available. */
  newUnavailable: number;
}

interface Place {
  control: ClusterPast;
  target: ClusterPast;
}

export function standingAt({ control, target }: Place, deployment: Life, at: number): Standing {
  const standing = {
    present: 0,
    available: 0,
    selected: 0,
    selectedAvailable: 0,
    newUnavailable: 0,
  };
  const wanted = deployment.states.at(at) ?? deployment.last;
  for (const { machine, set } of machinesAt(control, deployment, at)) {
    const node = nodeLifeOf(target, machine)?.states.at(at);
    const isChosen = node !== undefined && isUnderWay(node);
    const isNew = isOfTemplate(set, wanted);
    standing.present += 1;
    standing.available += Number(isAvailable(machine));
    standing.selected += Number(isChosen);
    standing.selectedAvailable += Number(isChosen && isAvailable(machine));
    standing.newUnavailable += Number(isNew && !isChosen && !isAvailable(machine));
  }
  return standing;
}

/** Those that moved since then are looked for in the sets in which they are now as well. */
function machinesAt({ machines, sets }: ClusterPast, deployment: Life, at: number) {
  const own = Array.from(sets.ownedBy(deployment.uid));
  return own
    .flatMap(({ uid }) => Array.from(machines.ownedBy(uid)))
    .filter(({ bornAt }) => bornAt <= at)
    .flatMap(({ states }) => {
      const machine = states.at(at);
      const set = machine && sets.of(ownerOf(machine));
      const isGoing = !machine || machine.metadata.deletionTimestamp !== undefined;
      return isGoing || !set ? [] : [{ machine, set: set.last }];
    });
}

/** At which something of the pool changed. */
export function momentsOf({ control, target }: Place, deployment: Life, since: number): number[] {
  const own = Array.from(control.sets.ownedBy(deployment.uid)).flatMap(({ uid }) =>
    Array.from(control.machines.ownedBy(uid)),
  );
  const nodes = own.flatMap(({ last }) => nodeLifeOf(target, last) ?? []);
  const moments = [deployment, ...own, ...nodes].flatMap(({ states }) =>
    states.momentsSince(since),
  );
  return Array.from(new Set(moments));
}

export const isUpdating = (machine: JudgedObject): boolean =>
  ['InPlaceUpdating', 'InPlaceUpdateFailed'].includes(phaseOf(machine));
