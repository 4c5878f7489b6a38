/**
 * Nodes in a rollout: old ones are avoided by new pods, and none is taken away by the cluster
 * autoscaler.
 */
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { annotations, labels, taints } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine, Taint } from '../../workflows/api/machine.ts';
import { longestLabelValue } from '../../workflows/api/validation.ts';
import type { NodeStep } from '../../workflows/plan/machine-deployment/rollout/steps.ts';
import { inParallel } from '../runtime/parallel.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isInvalid } from '../../kube/client/errors.ts';
import { pointerTo, replacing } from '../../kube/objects/json-patch.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { retryOnConflict } from '../../kube/client/retry-on-conflict.ts';
import { customResource, node as nodePath } from '../../kube/client/paths.ts';
import { factOf } from '../machine-set/facts.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import type { MachineLists, MachineSetLists } from '../runtime/dependencies.ts';
import type { NodeClaim } from '../machine/node/claims.ts';
import { claimOf, otherOwnerReason } from '../machine/node/claims.ts';
import type { Node } from '../../kube/objects/nodes.ts';
import { readNode } from '../../kube/objects/nodes.ts';
import { readLiving } from './lifecycle.ts';
import { machinesOf, nodeOf } from './machines.ts';
import { hasJoined } from './set-facts.ts';
import { nowMs } from '../system/system.ts';

export interface NodeWork {
  deployment: ObjectReference;
  step: NodeStep;
  /** Nodes that are tainted are kept from the cluster autoscaler in the same write. */
  protects: boolean;
}

interface Clusters {
  control: KubeClient;
  machines: MachineLists;
  machineSets: MachineSetLists;
  target: KubeClient;
}

const parallelCalls = 16;

export async function updateRolloutNodes(
  clusters: Clusters,
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
      throw new Error(`not built yet: ${step.action}`);
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
  clusters: Clusters,
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
  clusters: Clusters,
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

/** Names in one selector: it is part of a URL. */
const namesPerList = 100;

/** `patchOf`: a JSON patch; empty when a Node is as it should be. */
async function patchAll(
  clusters: Clusters,
  machines: readonly Machine[],
  patchOf: (node: Node) => object[],
): Promise<void> {
  for (let start = 0; start < machines.length; start += namesPerList) {
    const part = machines.slice(start, start + namesPerList);
    const seen = await nodesByName(clusters.target, part);
    const claims = part.flatMap((machine) => claimOf(machine) ?? []);
    await inParallel(claims, parallelCalls, (claim) =>
      patchNode(clusters, { claim, seen: seen.get(claim.nodeName) }, patchOf),
    );
  }
}

/** One list for all: each Node says whose machine it is. A Node that does not is read by name. */
async function nodesByName(
  target: KubeClient,
  machines: readonly Machine[],
): Promise<Map<string, Node>> {
  // A name that cannot be the value of a label would have the whole list refused.
  const names = machines.flatMap(({ metadata: { name } }) =>
    name.length > longestLabelValue ? [] : name,
  );
  if (names.length === 0) return new Map();
  const { items } = await target.list<Node>(nodePath(), {
    labelSelector: `${labels.machineName} in (${names.join(',')})`,
  });
  return new Map(items.map((node) => [node.metadata.name, node]));
}

/**
 * Names of Nodes come back: one that another instance or machine has by now is left alone. A patch
 * holds only for the Node that was read; where it does not hold, because it is another by now or
 * another client wrote, it is made anew.
 */
async function patchNode(
  { control, target }: Clusters,
  { claim, seen }: { claim: NodeClaim; seen: Node | undefined },
  patchOf: (node: Node) => object[],
): Promise<void> {
  const name = claim.nodeName;
  const write = async (isAgain: boolean): Promise<void> => {
    const node = isAgain || !seen ? await readNode(target, name) : seen;
    const patch = node ? patchOf(node) : [];
    if (!node || patch.length === 0) return;
    if ((await otherOwnerReason(control, node, claim)) !== undefined) return;
    const isSame = { op: 'test', path: '/metadata/uid', value: node.metadata.uid };
    await ignoreNotFound(target.patch(nodePath(name), 'json', [isSame, ...patch]));
  };
  await retryOnConflict(write, { isAnew: isInvalid });
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
  clusters: Clusters,
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
async function releaseNodes(clusters: Clusters, ref: ObjectReference): Promise<void> {
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
  { machines, machineSets }: Clusters,
  deployment: MachineDeployment,
): Promise<readonly Machine[]> {
  const { namespace = '', uid } = deployment.metadata;
  const sets = await machineSets.list(namespace);
  const own = sets.filter((set) => controllerOf(set)?.uid === uid);
  return await machinesOf(machines, deployment, own);
}

async function machinesOfSet(
  { control, machines: lists }: Clusters,
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
