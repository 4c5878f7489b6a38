/**
 * Which MachineDeployments of `cluster.k8s.io` a change concerns. A pure function, as is which
 * objects of theirs have none.
 */
import { kubermaticApiVersion } from '../../workflows/api/kubermatic-names.ts';
import type { FrontChange, FrontViews, TheirView } from './views.ts';

/** All objects, by name. */
export type FrontStore = {
  readonly [Resource in Exclude<keyof FrontViews, 'nodes'>]: ReadonlyMap<
    string,
    FrontViews[Resource]
  >;
} & {
  /**
   * Set -> MachineDeployment of those that are gone, whose Machines may outlast them. Names are the
   * same on both sides.
   */
  readonly lostSets: ReadonlyMap<string, string>;
};

/** Names; `store` already holds the change. None of a pool of ours that mirrors nothing. */
export function changedPools(change: FrontChange, store: FrontStore): string[] {
  if (change.type === 'live' && isSame(change)) return [];
  return [...new Set(poolsOf(change, store))].filter((pool) => isKnown(pool, change, store));
}

function isSame(change: FrontChange): boolean {
  if (change.previous === undefined) return false;
  if (change.resource === 'nodes')
    return change.object.skipsEviction === change.previous.skipsEviction;
  return change.object.digest === change.previous.digest;
}

function poolsOf(change: FrontChange, store: FrontStore): string[] {
  const { object, previous = object } = change;
  switch (change.resource) {
    case 'theirDeployments':
    case 'ourDeployments':
      return [change.object.name];
    case 'theirSets':
    case 'ourSets':
      return [object, previous].flatMap((set) => ('owner' in set && set.owner ? [set.owner] : []));
    case 'theirMachines':
      return poolOfMachine(change.object, store.theirSets, store);
    case 'ourMachines':
      return poolOfMachine(change.object, store.ourSets, store);
    case 'nodes':
      return [...store.ourMachines.values()]
        .filter(({ node }) => node === change.object.name)
        .flatMap((machine) => poolOfMachine(machine, store.ourSets, store));
  }
}

/** Of one that its set let go, only labels say whose it is: all are asked, for it is rare. */
function poolOfMachine(
  { owner, name }: Pick<TheirView, 'owner' | 'name'>,
  sets: ReadonlyMap<string, Pick<TheirView, 'owner'>>,
  { lostSets, theirMachines, theirDeployments }: FrontStore,
): string[] {
  if (owner === undefined)
    return theirMachines.get(name)?.isMirror === true ? [...theirDeployments.keys()] : [];
  const pool = sets.get(owner)?.owner ?? lostSets.get(owner);
  return pool === undefined ? [] : [pool];
}

/** One of theirs, ours that was made for one, or what was one of them a moment ago. */
function isKnown(pool: string, change: FrontChange, store: FrontStore): boolean {
  return isServed(pool, store) || (isDeployment(change) && change.type === 'gone');
}

const isDeployment = ({ resource }: FrontChange): boolean =>
  resource === 'theirDeployments' || resource === 'ourDeployments';

/** A run for it is begun where there is none. */
export function isServed(pool: string, store: FrontStore): boolean {
  return store.theirDeployments.has(pool) || store.ourDeployments.get(pool)?.isMirror === true;
}

/** An object of theirs that is not served. */
export interface Orphan {
  apiVersion: string;
  kind: 'Machine' | 'MachineSet';
  name: string;
  uid: string;
}

/** Undefined: it has a MachineDeployment, is going, or is machine-controller's. */
export function orphanIn(
  change: FrontChange,
  { theirMachines }: Pick<FrontStore, 'theirMachines'>,
): Orphan | undefined {
  if (change.type === 'gone') return undefined;
  if (change.resource !== 'theirMachines' && change.resource !== 'theirSets') return undefined;
  const { name, uid, owner, isDeleting } = change.object;
  if (owner !== undefined || isDeleting) return undefined;
  const isMachine = change.resource === 'theirMachines';
  const machines = isMachine
    ? [change.object]
    : [...theirMachines.values()].filter((machine) => machine.owner === name);
  if (machines.some((machine) => machine.isOfMachineController)) return undefined;
  return {
    apiVersion: kubermaticApiVersion,
    kind: isMachine ? 'Machine' : 'MachineSet',
    name,
    uid,
  };
}
