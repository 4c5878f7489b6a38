/** Sets and Machines of both sides: fields, marks and deletions that flow between them. */
import { matches } from '../../api/selector.ts';
import {
  byName,
  classNameOf,
  controllerUidOf,
  finalizersOfOthers,
  isDeleting,
  isMirror,
  isOrphaning,
  setPairs,
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

export function pairs(facts: PoolFacts) {
  const theirs = byName(facts.theirs.machines);
  return facts.ours.machines.map((ours) => ({
    ours,
    theirs: theirs.get(ours.metadata.name),
    node: facts.nodes.get(ours.status?.nodeRef?.name ?? ''),
  }));
}

export function markWrites(facts: PoolFacts): Write[] {
  const ofMachines = pairs(facts).flatMap(({ ours, theirs, node }) =>
    theirs ? markMachine({ ours, theirs, node }, facts.now) : [],
  );
  const ofSets = setPairs(facts).flatMap(({ ours, theirs }) =>
    theirs ? deletePolicyWrites(ours, theirs) : [],
  );
  return [...ofMachines, ...ofSets];
}

/** A set or a Machine of theirs that a person deletes. */
export function deletionsDown(facts: PoolFacts): Write[] {
  return [
    ...setPairs(facts).flatMap(({ ours, theirs }) => {
      if (!theirs || !isAskedToGo(theirs) || isDeleting(ours)) return [];
      const orphans = isOrphaning(theirs) || hasLost(theirs, facts.theirs.machines);
      return [deletionOf('set', ours, { orphans })];
    }),
    ...pairs(facts).flatMap(({ ours, theirs }) =>
      theirs && isAskedToGo(theirs) && !isDeleting(ours) ? [deletionOf('machine', ours)] : [],
    ),
  ];
}

function isAskedToGo(theirs: PoolFacts['theirs']['sets' | 'machines'][number]): boolean {
  return isDeleting(theirs) && isMirror(theirs);
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

function setGroups(facts: PoolFacts): Write[][] {
  const { deployment } = facts.theirs;
  return setPairs(facts).map(({ ours, theirs, isNameTaken }) => {
    if (isNameTaken) return [];
    const template = facts.templates.get(classNameOf(ours) ?? '');
    return [
      ...mirrorSet({ ours, theirs, deployment, template }),
      ...(theirs ? goingWith(ours, 'theirSet', theirs) : []),
    ];
  });
}

function machineGroups(facts: PoolFacts): Write[][] {
  const { templates, now } = facts;
  const sets = new Map(setPairs(facts).map((pair) => [pair.ours.metadata.uid, pair]));
  return pairs(facts).map((pair) => {
    const { theirs: set, isNameTaken } = sets.get(controllerUidOf(pair.ours) ?? '') ?? {};
    if (isNameTaken && pair.theirs) return releaseFromSet(pair.theirs);
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

/** Its set goes, and with an owner that is gone it would go as well. */
function releaseFromSet(machine: PoolFacts['theirs']['machines'][number]): Write[] {
  const { ownerReferences = [] } = machine.metadata;
  const left = ownerReferences.filter(({ controller }) => controller !== true);
  if (left.length === ownerReferences.length) return [];
  return [patchOf('theirMachine', machine, { metadata: { ownerReferences: left } })];
}

/** A set of theirs goes after its Machines, so that none is left without what finds it. */
function goneGroups(facts: PoolFacts): Write[][] {
  const { theirs, ours } = facts;
  const machines = byName(ours.machines);
  const sets = byName(setPairs(facts).flatMap((pair) => pair.theirs ?? []));
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
