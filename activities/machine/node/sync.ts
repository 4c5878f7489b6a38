/**
 * Makes a Node carry what its Machine and its MachineClass say of it, with as few writes as
 * possible.
 */
import type { ObjectReference } from '../../../workflows/contracts/references.ts';
import type {
  NodeSyncOutcome,
  NodeSyncRequest,
} from '../../../workflows/contracts/node-activities.ts';
import { annotations, labels } from '../../../workflows/api/constants.ts';
import type { MachineClass } from '../../../workflows/api/machine-class.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type {
  NodeTemplate,
  NodeTemplateChange,
  TextChanges,
} from '../../../workflows/plan/machine/node-template.ts';
import { conditionsDiffer } from '../../../workflows/plan/machine/health.ts';
import {
  isNoted,
  planNodeTemplate,
  withNameOfMachine,
} from '../../../workflows/plan/machine/node-template.ts';
import { planVirtualCapacity } from '../../../workflows/plan/machine/virtual-capacity.ts';
import type { VirtualCapacityChange } from '../../../workflows/plan/machine/virtual-capacity.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { recordEvent } from '../../../kube/objects/events.ts';
import { isContentRefused, isOutdated } from '../../../kube/objects/json-patch.ts';
import { customResource, node as nodePath } from '../../../kube/client/paths.ts';
import { retryOnConflict } from '../../../kube/client/retry-on-conflict.ts';
import type { ActivityDependencies } from '../../runtime/dependencies.ts';
import { otherOwnerReason } from './claims.ts';
import { obstacleOf } from './observed.ts';
import { updateFreshNode, patchNode } from './patch.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { readNode } from '../../../kube/objects/nodes.ts';
import { nodeConditionsOf } from '../conditions.ts';
import { component, machineSubject, patchStatus, readSameMachine } from '../object.ts';

export interface NodeUpdate {
  machine: ObjectReference;
  nodeName: string;
  className: string;
  classAtLeast?: string;
  nodeTemplate?: NodeTemplate;
  applied?: NodeTemplate;
  /** A Node of the machine's instance that joins for the first time. */
  fresh?: { uid: string; providerID: string };
  /** Names come back: is it the Node that is meant? */
  isMeant(node: Node): boolean | Promise<boolean>;
}

interface NodeChange {
  template: NodeTemplateChange;
  capacity: VirtualCapacityChange;
}

type SyncClusters = Pick<ActivityDependencies, 'control' | 'recent'> & { target: KubeClient };

export async function syncNode(
  dependencies: ActivityDependencies,
  request: NodeSyncRequest,
): Promise<NodeSyncOutcome> {
  const { instance, nodeUid, joining, ...rest } = request;
  const { control, target } = dependencies;
  if (!target) return {};
  const { providerID, nodeName } = instance;
  const claim = { machine: rest.machine, nodeName, nodeUid, providerID };
  const isMeant = async (node: Node): Promise<boolean> =>
    (await otherOwnerReason(control, node, claim)) === undefined;
  const fresh = joining?.isFresh ? freshOf(joining.uid, providerID) : {};
  const node = await updateNode(
    { ...dependencies, target },
    { ...rest, ...fresh, nodeName, isMeant },
  );
  const outcome = syncOutcomeOf(node, rest.nodeTemplate);
  if (!joining || !node) return outcome;
  // The join that follows writes the conditions of a Node that is Ready by now.
  const harmful = joining.nodeConditions ?? dependencies.defaults.nodeConditions;
  if (obstacleOf(node, harmful) !== undefined)
    await copyConditions(dependencies, request.machine, node);
  return outcome;
}

/** By the note that comes with the template in one write. */
export function syncOutcomeOf(
  node: Node | undefined,
  template: NodeTemplate = {},
): NodeSyncOutcome {
  return node && isNoted(node.metadata.annotations, template) ? { isApplied: true } : {};
}

/** `kubectl` shows what a Node that joins is waiting for. */
async function copyConditions(
  { control, memory }: ActivityDependencies,
  machine: ObjectReference,
  node: Node,
): Promise<void> {
  const conditions = nodeConditionsOf(node);
  const current = await readSameMachine(control, machine);
  if (!current) return;
  if (!conditionsDiffer(nodeConditionsOf(current), conditions)) return;
  // Conditions that another attempt wrote meanwhile are newer.
  const statusOf = (now: Machine) => (now === current ? { conditions } : undefined);
  const written = await patchStatus(control, current, statusOf);
  if (written) memory.written.keep(written);
}

/**
 * Returns the Node as it is then; undefined when there is none. Fields that the API server refuses
 * are reported in an Event and left out: a template that cannot be applied must not keep a machine
 * from its life.
 */
export async function updateNode(
  clusters: SyncClusters,
  equipment: NodeUpdate,
): Promise<Node | undefined> {
  const { machine, nodeName, isMeant } = equipment;
  const virtualCapacity = await virtualCapacityOf(clusters, equipment);
  const fresh = await updateFresh(clusters, equipment);
  const update = async (isAgain: boolean): Promise<Node | undefined> => {
    const isRead = isAgain || fresh === undefined;
    const node = isRead ? await readNode(clusters.target, nodeName) : fresh;
    if (!node || !(await isMeant(node))) return undefined;
    if (node.metadata.deletionTimestamp !== undefined) return node;
    return await write({ ...clusters, machine }, node, {
      template: templateChange(node, equipment),
      capacity: planVirtualCapacity({ ...node.metadata, ...node.status }, virtualCapacity),
    });
  };
  return await retryOnConflict(update, { isAnew: isOutdated });
}

/** Without a known instance the Node has to be read first, to learn whose it is. */
export function freshOf(uid: string, providerID: string | undefined): Pick<NodeUpdate, 'fresh'> {
  return providerID ? { fresh: { uid, providerID } } : {};
}

async function updateFresh(
  { target }: SyncClusters,
  { machine, nodeName, fresh, nodeTemplate = {} }: NodeUpdate,
): Promise<Node | undefined> {
  if (!fresh) return undefined;
  const wanted = { machine, template: nodeTemplate };
  return await updateFreshNode(target, { name: nodeName, ...fresh }, wanted);
}

function templateChange(
  { metadata, spec }: Node,
  { machine, nodeTemplate = {}, applied }: NodeUpdate,
): NodeTemplateChange {
  const present = { ...metadata, taints: spec?.taints ?? [] };
  const wanted = { machineName: machine.name, template: nodeTemplate, applied };
  return withNameOfMachine(planNodeTemplate(present, wanted), present, machine);
}

async function virtualCapacityOf(
  { recent }: SyncClusters,
  { machine, className, classAtLeast = '0' }: NodeUpdate,
): Promise<Record<string, number | string> | undefined> {
  const path = customResource('machineclasses', machine.namespace, className);
  const machineClass = await recent.read<MachineClass>(path, classAtLeast);
  return machineClass?.nodeTemplate && (machineClass.nodeTemplate.virtualCapacity ?? {});
}

type NodeDependencies = SyncClusters & { machine: ObjectReference };

/** Capacity first: its note records what was done, so it comes with the other metadata. */
async function write(
  dependencies: NodeDependencies,
  node: Node,
  change: NodeChange,
): Promise<Node> {
  await reportCorrupt(dependencies, node, change);
  await reportKept(dependencies, node, change.template);
  const hasCapacity = await writeCapacity(dependencies, node, change.capacity.capacity);
  const notes = hasCapacity ? change.capacity.annotations : {};
  const { template } = change;
  const whole = { ...template, annotations: { ...template.annotations, ...notes } };
  try {
    return await patchNode(dependencies.target, node, whole);
  } catch (error) {
    if (!isContentRefused(error)) throw error;
    await warn(
      dependencies,
      'NodeTemplateRefused',
      `spec.nodeTemplate was not applied: ${error.message}`,
    );
    return await patchNode(dependencies.target, node, ownPart(template, notes));
  }
}

/** False when the API server does not take it. */
async function writeCapacity(
  dependencies: NodeDependencies,
  node: Node,
  capacity: TextChanges,
): Promise<boolean> {
  if (Object.keys(capacity).length === 0) return true;
  const { name, uid } = node.metadata;
  try {
    const patch = { metadata: { uid }, status: { capacity } };
    await dependencies.target.patch(`${nodePath(name)}/status`, 'merge', patch);
    return true;
  } catch (error) {
    if (!isContentRefused(error)) throw error;
    const message = `nodeTemplate.virtualCapacity of the MachineClass was not applied: ${error.message}`;
    await warn(dependencies, 'VirtualCapacityRefused', message);
    return false;
  }
}

function ownPart(template: NodeTemplateChange, notes: TextChanges): NodeTemplateChange {
  const named = [annotations.nodeMachine, annotations.nodeMachineNamespace];
  return {
    labels: only(template.labels, [labels.machineName]),
    annotations: { ...only(template.annotations, named), ...notes },
    isLastAppliedCorrupt: false,
  };
}

function only(changes: TextChanges, keys: readonly string[]): TextChanges {
  return Object.fromEntries(Object.entries(changes).filter(([key]) => keys.includes(key)));
}

async function reportCorrupt(
  dependencies: NodeDependencies,
  { metadata }: Node,
  change: NodeChange,
): Promise<void> {
  const corrupt = [
    ...(change.template.isLastAppliedCorrupt ? [annotations.lastAppliedNodeTemplate] : []),
    ...(change.capacity.isLastAppliedCorrupt ? [annotations.lastAppliedVirtualCapacity] : []),
  ];
  for (const name of corrupt) {
    const message = `Node ${metadata.name}: annotation ${name} cannot be read: it counts as nothing, and is written anew`;
    await warn(dependencies, 'LastAppliedCorrupt', message);
  }
}

async function reportKept(
  dependencies: NodeDependencies,
  { metadata: { name } }: Node,
  { keptTaints = [] }: NodeTemplateChange,
): Promise<void> {
  if (keptTaints.length === 0) return;
  const named = keptTaints.slice(0, 10).map(({ key, effect }) => `${key}:${effect}`);
  const message = `Node ${name} keeps taints that the template has no more, as nothing but the Node says that they came from there: ${named.join(', ')}. Where they did, remove them by hand`;
  await warn(dependencies, 'TaintsKept', message);
}

async function warn(
  { control, machine }: NodeDependencies,
  reason: string,
  message: string,
): Promise<void> {
  recordEvent(control, machineSubject(machine), {
    type: 'Warning',
    reason,
    message,
    component,
  });
}
