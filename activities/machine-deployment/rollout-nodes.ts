/**
 * Nodes in a rollout: old ones are avoided by new pods, and none is taken away by the cluster
 * autoscaler.
 */
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { annotations, taints } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine, Taint } from '../../workflows/api/machine.ts';
import type { NodeStep } from '../../workflows/plan/machine-deployment/rollout/steps.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { pointerTo, replacing } from '../../kube/objects/json-patch.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';
import { factOf } from '../machine-set/facts.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import type { Node } from '../../kube/objects/nodes.ts';
import type { NodeDependencies } from './in-place-steps.ts';
import { applyInPlaceStep } from './in-place-steps.ts';
import { readLiving } from './lifecycle.ts';
import { machinesOf, nodeOf } from './machines.ts';
import { patchAll } from './node-patches.ts';
import { hasJoined } from './set-facts.ts';
import { nowMs } from '../system/system.ts';

export interface NodeWork {
  deployment: ObjectReference;
  step: NodeStep;
  /** Nodes that are tainted are kept from the cluster autoscaler in the same write. */
  protects: boolean;
}

export async function updateRolloutNodes(
  clusters: NodeDependencies,
  { deployment, step, protects }: NodeWork,
): Promise<{ protectedNodes: string[] }> {
  switch (step.action) {
    case 'taintNodes':
      return await taintNodes(clusters, { deployment, set: step.set, protects });
    case 'untaintNodes':
      await untaintNodes(clusters, { deployment, set: step.set });
      return { protectedNodes: [] };
    case 'protectNodes':
      await protectNodes(clusters, { deployment, names: step.nodes });
      return { protectedNodes: step.nodes };
    case 'releaseNodes':
      await releaseNodes(clusters, deployment);
      return { protectedNodes: [] };
    case 'markCandidates':
    case 'unmarkNodes':
    case 'selectForUpdate':
    case 'moveMachines':
    case 'tidyUpdated':
      await applyInPlaceStep(clusters, deployment, step);
      return { protectedNodes: [] };
  }
}

const notesPath = '/metadata/annotations';

const protection = {
  [annotations.scaleDownDisabled]: 'true',
  [annotations.scaleDownDisabledByUs]: 'true',
};

const avoidance: Taint = {
  key: taints.preferNoSchedule,
  value: 'True',
  effect: 'PreferNoSchedule',
};

/**
 * The set says so afterwards; MCM v0.62.1 leaves out Nodes that it could not write, here the step
 * is tried again.
 */
async function taintNodes(
  clusters: NodeDependencies,
  { deployment, set, protects }: { deployment: ObjectReference; set: string; protects: boolean },
): Promise<{ protectedNodes: string[] }> {
  const { control } = clusters;
  const machines = await machinesOfSet(clusters, deployment, set);
  const rewriting = {
    taintsOf: (present: Taint[]) => [...withoutAvoidance(present), avoidance],
    protects,
  };
  await patchAll(clusters, machines, (node) => taintPatch(node, rewriting));
  await noteOnSet(control, deployment, { set, value: 'True' });
  return { protectedNodes: protects ? nodesOf(machines.filter(hasJoined)) : [] };
}

async function untaintNodes(
  clusters: NodeDependencies,
  { deployment, set }: { deployment: ObjectReference; set: string },
): Promise<void> {
  const { control } = clusters;
  const machines = await machinesOfSet(clusters, deployment, set);
  await patchAll(clusters, machines, (node) =>
    taintPatch(node, { taintsOf: withoutAvoidance, protects: false }),
  );
  await noteOnSet(control, deployment, { set, value: null });
}

function withoutAvoidance(present: Taint[]): Taint[] {
  return present.filter(({ key }) => key !== taints.preferNoSchedule);
}

interface Rewriting {
  taintsOf(present: Taint[]): Taint[];
  /** Keep the Node from the cluster autoscaler, unless another client does. */
  protects: boolean;
}

/** Taints are one atomic list of many writers: a write holds only for the list that was read. */
function taintPatch({ metadata, spec }: Node, { taintsOf, protects }: Rewriting): object[] {
  const present = spec?.taints ?? [];
  const wanted = taintsOf(present);
  const isSame = JSON.stringify(wanted) === JSON.stringify(present);
  const rewritten = isSame ? [] : replacing('/spec/taints', spec?.taints, wanted);
  return protects ? [...rewritten, ...protectionPatch(metadata)] : rewritten;
}

/** Empty where another client keeps the autoscaler away: it is not ours to end that. */
function protectionPatch({ annotations: notes }: Node['metadata']): object[] {
  if (annotations.scaleDownDisabled in (notes ?? {})) return [];
  // An annotation that another client wrote meanwhile must not be lost, nor be taken for ours.
  const place = notes === undefined ? replacing(notesPath, undefined, {}) : [];
  const isFree = {
    op: 'test',
    path: pointerTo(notesPath, annotations.scaleDownDisabled),
    value: null,
  };
  const writes = Object.entries(protection).map(([key, value]) => ({
    op: 'add',
    path: pointerTo(notesPath, key),
    value,
  }));
  return [...place, isFree, ...writes];
}

async function protectNodes(
  clusters: NodeDependencies,
  { deployment: ref, names }: { deployment: ObjectReference; names: readonly string[] },
): Promise<void> {
  const deployment = await readLiving(clusters.control, ref);
  if (!deployment) return;
  const wanted = new Set(names);
  const machines = await ownMachines(clusters, deployment);
  const theirs = machines.filter((machine) => wanted.has(nodeOf(machine) ?? ''));
  await patchAll(clusters, theirs, ({ metadata }) => protectionPatch(metadata));
}

/** Only where we said so ourselves, and not where a preserved machine is to stay. */
async function releaseNodes(clusters: NodeDependencies, ref: ObjectReference): Promise<void> {
  const deployment = await readLiving(clusters.control, ref);
  if (!deployment) return;
  const machines = await ownMachines(clusters, deployment);
  const now = nowMs();
  const free = machines.filter((machine) => (factOf(machine).preservedUntil ?? 0) <= now);
  await patchAll(clusters, free, releasePatch);
}

function releasePatch({ metadata }: Node): object[] {
  const notes = metadata.annotations ?? {};
  if (!(annotations.scaleDownDisabledByUs in notes)) return [];
  return Object.keys(protection)
    .filter((key) => key in notes)
    .map((key) => ({ op: 'remove', path: pointerTo(notesPath, key) }));
}

async function ownMachines(
  { machines, machineSets }: NodeDependencies,
  deployment: MachineDeployment,
): Promise<readonly Machine[]> {
  const { namespace = '', uid } = deployment.metadata;
  const sets = await machineSets.list(namespace);
  const own = sets.filter((set) => controllerOf(set)?.uid === uid);
  return await machinesOf(machines, deployment, own);
}

async function machinesOfSet(
  { control, machines: lists }: NodeDependencies,
  { namespace }: ObjectReference,
  name: string,
): Promise<Machine[]> {
  const set = await ignoreNotFound(
    control.get<MachineSet>(customResource('machinesets', namespace, name)),
  );
  if (!set) return [];
  const machines = await lists.select(namespace, set.spec.selector);
  return machines.filter((machine) => controllerOf(machine)?.uid === set.metadata.uid);
}

function nodesOf(machines: readonly Machine[]): string[] {
  return machines.flatMap((machine) => nodeOf(machine) ?? []);
}

async function noteOnSet(
  control: KubeClient,
  { namespace }: ObjectReference,
  { set, value }: { set: string; value: 'True' | null },
): Promise<void> {
  const notes = { [annotations.preferNoSchedule]: value };
  const path = customResource('machinesets', namespace, set);
  await ignoreNotFound(control.patch(path, 'merge', { metadata: { annotations: notes } }));
}
