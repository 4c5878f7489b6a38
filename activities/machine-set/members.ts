/** The Machines of a MachineSet: found, adopted, let go. */
import type { LabelSelector, MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Claim } from '../../workflows/plan/ownership.ts';
import type { ActivityDependencies, MachineLists } from '../runtime/dependencies.ts';
import { inParallel } from '../runtime/parallel.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import type { Claiming } from './ownership.ts';
import { claimOf, isAlive, settleOwners } from './ownership.ts';
import { customResource } from '../../kube/client/paths.ts';
import { parallelCalls } from './parallel-calls.ts';
import type { RefusedWrites } from './refused-writes.ts';

export interface ClaimRequest {
  set: MachineSet;
  /** The spec is wrong: nothing changes hands. */
  isFaulty: boolean;
}

/** Input of a read of the set to change owners. */
export interface ClaimingRequest extends ClaimRequest {
  /** Refused writes to single machines; these are left as they are. */
  refused: RefusedWrites;
  /** Names of machines that are not tried. */
  passOver: ReadonlySet<string>;
}

export interface Listed {
  /** Machines that the set controls and selects, in the order of the list. */
  members: Machine[];
  /** Those that it selects and that no object controls. */
  orphans: Machine[];
  /** All that were listed. */
  items: readonly Machine[];
}

export async function listMembers(lists: MachineLists, request: ClaimRequest): Promise<Listed> {
  const { namespace = '' } = request.set.metadata;
  return claimedAmong(await lists.select(namespace, selectorOf(request)), request);
}

/** It may be the very thing that is wrong, and no list takes it then. */
export function selectorOf({ set, isFaulty }: ClaimRequest): LabelSelector | undefined {
  return isFaulty ? undefined : set.spec.selector;
}

export function claimedAmong(items: readonly Machine[], request: ClaimRequest): Listed {
  const claimed = (wanted: Claim['action']): Machine[] =>
    items.filter((machine) => claimOf(request.set, machine, request.isFaulty).action === wanted);
  return { members: claimed('keep'), orphans: claimed('adopt'), items };
}

/** The set's Machines, in the order of the list. Orphans that it selects are adopted on the way. */
export async function membersOf(
  { control, machines }: Pick<ActivityDependencies, 'control' | 'machines'>,
  request: ClaimingRequest,
): Promise<Machine[]> {
  const { members, orphans, items } = await listMembers(machines, request);
  const wanted = orphans.filter(({ metadata }) => !request.passOver.has(metadata.name));
  if (wanted.length === 0 || !(await isAlive(control, request.set))) return members;
  const byName = new Map(members.map((machine) => [machine.metadata.name, machine]));
  await inParallel(wanted, parallelCalls, async (machine) => {
    const adopted = await request.refused.attempt(machine.metadata, () =>
      settleOwners(control, claimingOf(request, machine), machine),
    );
    if (adopted) byName.set(machine.metadata.name, adopted);
  });
  return items.flatMap(({ metadata: { name } }) => byName.get(name) ?? []);
}

/** Lets go what the set controls and does not select. Returns the names, sorted. */
export async function releaseUnmatched(
  control: KubeClient,
  request: ClaimingRequest,
  unmatched: readonly string[],
): Promise<string[]> {
  const { metadata } = request.set;
  const mayRelease = !request.isFaulty && metadata.deletionTimestamp === undefined;
  const wanted = mayRelease ? unmatched.filter((name) => !request.passOver.has(name)) : [];
  const released: string[] = [];
  await inParallel(wanted, parallelCalls, async (name) => {
    const path = customResource('machines', metadata.namespace ?? '', name);
    // The list of names is of an earlier state.
    const machine = await ignoreNotFound(control.get<Machine>(path));
    if (!machine || claimOf(request.set, machine, request.isFaulty).action !== 'release') return;
    const settled = await request.refused.attempt(machine.metadata, () =>
      settleOwners(control, claimingOf(request, machine), machine),
    );
    if (settled && controllerOf(settled)?.uid !== metadata.uid) released.push(name);
  });
  return released.toSorted();
}

function claimingOf({ set, isFaulty }: ClaimRequest, { metadata }: Machine): Claiming {
  const path = customResource('machines', metadata.namespace ?? '', metadata.name);
  return { owner: set, isFaulty, path };
}
