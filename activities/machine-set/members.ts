/** The Machines of a MachineSet: found, adopted, let go. */
import { apiVersion } from '../../workflows/api/constants.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { OwnerReference } from '../../workflows/api/meta.ts';
import { isEmptySelector } from '../../workflows/api/selector.ts';
import type { Claim } from '../../workflows/plan/claim.ts';
import { planClaim } from '../../workflows/plan/claim.ts';
import { inParallel } from '../in-parallel.ts';
import type { KubeClient, KubeObject } from '../kube/client.ts';
import { isConflict, isNotFound } from '../kube/errors.ts';
import { orUndefined } from '../kube/optional.ts';
import { customResource } from '../kube/paths.ts';
import { parallelCalls } from './parallel-calls.ts';
import { selectorText } from './selector.ts';

export interface ClaimRequest {
  set: MachineSet;
  /** The spec is wrong: nothing changes hands. */
  isFaulty: boolean;
}

/** All Machines that the set controls and selects, in the order of the list. Orphans that it selects are adopted on the way. */
export async function membersOf(control: KubeClient, request: ClaimRequest): Promise<Machine[]> {
  const { metadata, spec } = request.set;
  const selection = isEmptySelector(spec.selector)
    ? {}
    : { labelSelector: selectorText(spec.selector) };
  const path = customResource('machines', metadata.namespace ?? '');
  const { items } = await control.list<Machine>(path, selection);
  const members = new Map<string, Machine>();
  const orphans: Machine[] = [];
  for (const machine of items) {
    const { action } = claimOf(machine, request);
    if (action === 'adopt') orphans.push(machine);
    if (action === 'keep') members.set(machine.metadata.name, machine);
  }
  const mayAdopt = orphans.length > 0 && (await isAlive(control, request.set));
  await inParallel(mayAdopt ? orphans : [], parallelCalls, async (machine) => {
    const adopted = await settle(control, request, machine);
    if (adopted) members.set(machine.metadata.name, adopted);
  });
  return items.flatMap(({ metadata: { name } }) => members.get(name) ?? []);
}

/**
 * The list is later than the set: machines without an owner may be those of a set that was deleted meanwhile with
 * `--cascade=orphan`. What is adopted after this look is safe: letting go changes the machine's resourceVersion.
 */
async function isAlive(control: KubeClient, { metadata }: MachineSet): Promise<boolean> {
  const path = customResource('machinesets', metadata.namespace ?? '', metadata.name);
  const present = await orUndefined(control.get<MachineSet>(path));
  return present?.metadata.uid === metadata.uid && !present.metadata.deletionTimestamp;
}

/** Lets go what the set controls and does not select. Returns the names, sorted. */
export async function releaseStrays(
  control: KubeClient,
  request: ClaimRequest,
  strays: readonly string[],
): Promise<string[]> {
  const { metadata } = request.set;
  const mayRelease = !request.isFaulty && metadata.deletionTimestamp === undefined;
  const released: string[] = [];
  await inParallel(mayRelease ? strays : [], parallelCalls, async (name) => {
    const path = customResource('machines', metadata.namespace ?? '', name);
    // Who named it saw an earlier state.
    const machine = await orUndefined(control.get<Machine>(path));
    if (!machine || claimOf(machine, request).action !== 'release') return;
    const settled = await settle(control, request, machine);
    if (settled && controllerOf(settled)?.uid !== metadata.uid) released.push(name);
  });
  return released.toSorted();
}

export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function ownerReferenceOf(set: MachineSet): OwnerReference {
  const { name, uid } = set.metadata;
  return {
    apiVersion,
    kind: 'MachineSet',
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

function claimOf(machine: Machine, { set, isFaulty }: ClaimRequest): Claim {
  const { uid, deletionTimestamp } = set.metadata;
  const controller = controllerOf(machine);
  return planClaim(
    { uid, isDeleting: deletionTimestamp !== undefined, selector: set.spec.selector, isFaulty },
    {
      ...(controller && { controllerUid: controller.uid }),
      isDeleting: machine.metadata.deletionTimestamp !== undefined,
      labels: machine.metadata.labels ?? {},
    },
  );
}

/** A machine that is being made or joins changes several times within a second. */
const mostTries = 4;

/**
 * Writes the owners that the claim asks for, and returns the machine. Undefined when the claim does not hold any more. A
 * machine that changes meanwhile is read again: one that is passed over would be missing in the count, and made once more.
 */
async function settle(
  control: KubeClient,
  request: ClaimRequest,
  machine: Machine,
): Promise<Machine | undefined> {
  const { namespace = '', name } = machine.metadata;
  const path = customResource('machines', namespace, name);
  let seen: Machine | undefined = machine;
  for (let tries = 1; seen !== undefined; tries += 1) {
    const { action } = claimOf(seen, request);
    if (action === 'leave') return undefined;
    if (action === 'keep') return seen;
    try {
      return await control.patch<Machine>(path, 'merge', ownersPatch(seen, request.set, action));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error) || tries === mostTries) throw error;
    }
    seen = await orUndefined(control.get<Machine>(path));
  }
  return undefined;
}

/** Other owners stay. UID and resourceVersion are preconditions. */
function ownersPatch({ metadata }: Machine, set: MachineSet, action: 'adopt' | 'release'): object {
  const { uid, resourceVersion, ownerReferences = [] } = metadata;
  const others = ownerReferences.filter((owner) => owner.uid !== set.metadata.uid);
  const owners = action === 'adopt' ? [...others, ownerReferenceOf(set)] : others;
  return { metadata: { uid, resourceVersion, ownerReferences: owners } };
}
