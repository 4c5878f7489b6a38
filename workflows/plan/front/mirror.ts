/** What flows between sets and Machines of both sides. */
import { matches } from '../../api/selector.ts';
import {
  byName,
  classNameOf,
  controllerUidOf,
  finalizersOfOthers,
  isDeleting,
  isMirror,
  isOrphaning,
  type OwnObjects,
  type PoolFacts,
} from './facts.ts';
import { markMachine, mirrorMachine } from './machines.ts';
import { deletePolicyWrites, mirrorSet } from './sets.ts';
import { deletionOf, patchOf, type Write } from './writes.ts';

export interface Mirrored {
  groups: Write[][];
  goesOn: boolean;
}

function pairs(facts: PoolFacts) {
  const theirs = byName(facts.theirs.machines);
  return facts.ours.machines.map((ours) => ({
    ours,
    theirs: theirs.get(ours.metadata.name),
    node: facts.nodes.get(ours.status?.nodeRef?.name ?? ''),
  }));
}

export function markWrites(facts: PoolFacts): Write[] {
  const sets = byName(facts.theirs.sets);
  const ofMachines = pairs(facts).flatMap(({ ours, theirs, node }) =>
    theirs ? markMachine({ ours, theirs, node }, facts.now) : [],
  );
  const ofSets = facts.ours.sets.flatMap((ours) => {
    const theirSet = sets.get(ours.metadata.name);
    return theirSet ? deletePolicyWrites(ours, theirSet) : [];
  });
  return [...ofMachines, ...ofSets];
}

/** A set or a Machine of theirs that a person deletes. */
export function deletionsDown({ theirs, ours }: PoolFacts): Write[] {
  const sets = byName(ours.sets);
  const machines = byName(ours.machines);
  const goingSets = theirs.sets.filter((set) => isDeleting(set) && isMirror(set));
  const goingMachines = theirs.machines.filter((one) => isDeleting(one) && isMirror(one));
  return [
    ...goingSets.flatMap((set) => {
      const own = sets.get(set.metadata.name);
      const orphans = isOrphaning(set) || hasLost(set, theirs.machines);
      return own && !isDeleting(own) ? [deletionOf('set', own, { orphans })] : [];
    }),
    ...goingMachines.flatMap(({ metadata }) => {
      const own = machines.get(metadata.name);
      return own && !isDeleting(own) ? [deletionOf('machine', own)] : [];
    }),
  ];
}

/** The garbage collector took the owner off its Machines, and is done. */
function hasLost(
  { spec }: PoolFacts['theirs']['sets'][number],
  machines: PoolFacts['theirs']['machines'],
): boolean {
  const own = machines.filter(({ metadata }) => matches(spec.selector, metadata.labels ?? {}));
  return own.length > 0 && own.every((machine) => controllerUidOf(machine) === undefined);
}

/** Theirs as ours are: sets, Machines, and what is gone. Each object is a group. */
export function mirrored(facts: PoolFacts): Mirrored {
  const ofSets = setGroups(facts);
  const ofMachines = machineGroups(facts);
  return {
    groups: [...ofSets, ...ofMachines, ...goneGroups(facts)],
    goesOn: [...ofSets, ...ofMachines].flat().some(isNews),
  };
}

/** What is made for it needs its UID. */
function isNews(write: Write): boolean {
  if (write.verb !== 'create') return false;
  return write.kind === 'theirSet' || 'providerID' in Object(write.body['spec']);
}

function setGroups({ theirs, ours, templates }: PoolFacts): Write[][] {
  const sets = byName(theirs.sets);
  return ours.sets.map((set) => {
    const template = templates.get(classNameOf(set) ?? '');
    const theirSet = sets.get(set.metadata.name);
    return [
      ...mirrorSet({ ours: set, theirs: theirSet, deployment: theirs.deployment, template }),
      ...(theirSet ? goingWith(set, 'theirSet', theirSet) : []),
    ];
  });
}

function machineGroups(facts: PoolFacts): Write[][] {
  const { theirs, ours, templates, now } = facts;
  const sets = byName(theirs.sets);
  const owners = new Map(ours.sets.map(({ metadata }) => [metadata.uid, metadata.name]));
  return pairs(facts).map((pair) => {
    const set = sets.get(owners.get(controllerUidOf(pair.ours) ?? '') ?? '');
    const template = templates.get(pair.ours.spec.class?.name ?? '');
    return [
      ...(set && template ? mirrorMachine({ ...pair, set, template }, now) : []),
      ...(pair.theirs ? goingWith(pair.ours, 'theirMachine', pair.theirs) : []),
    ];
  });
}

function goingWith(
  ours: OwnObjects['sets' | 'machines'][number],
  kind: 'theirSet' | 'theirMachine',
  theirs: PoolFacts['theirs']['sets' | 'machines'][number],
): Write[] {
  const isGoing = isDeleting(ours) && !isDeleting(theirs) && isMirror(theirs);
  return isGoing ? [deletionOf(kind, theirs)] : [];
}

/** A set of theirs goes after its Machines, so that none is left without what finds it. */
function goneGroups({ theirs, ours }: PoolFacts): Write[][] {
  const machines = byName(ours.machines);
  const sets = byName(ours.sets);
  const owners = new Set(theirs.machines.map(controllerUidOf));
  return [
    ...theirs.machines
      .filter((one) => isMirror(one) && !machines.has(one.metadata.name))
      .map((machine) => leaving('theirMachine', machine)),
    ...theirs.sets
      .filter((one) => isMirror(one) && !sets.has(one.metadata.name))
      .filter(({ metadata }) => !owners.has(metadata.uid))
      .map((set) => leaving('theirSet', set)),
  ];
}

/** First the deletion, which our finalizer holds up: a kill between both leaves one of ours. */
function leaving(
  kind: 'theirMachine' | 'theirSet',
  object: PoolFacts['theirs']['machines' | 'sets'][number],
): Write[] {
  const metadata = { finalizers: finalizersOfOthers(object) };
  const release = patchOf(kind, object, { metadata });
  if (isDeleting(object)) return [release];
  return [{ ...deletionOf(kind, object), version: object.metadata.resourceVersion }, release];
}
