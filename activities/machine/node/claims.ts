/** Decides whose a Node is, when more than one Machine or instance may have it. */
import type { ObjectReference } from '../../../workflows/contracts/references.ts';
import { annotations, labels } from '../../../workflows/api/constants.ts';
import { hasJoined } from '../../../workflows/api/phases.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { Instance } from '../../../workflows/plan/machine/facts.ts';
import { longestLabelValue } from '../../../workflows/api/validation.ts';
import { isSameInstance } from '../../../workflows/values/provider-id.ts';
import type { KubeClient, KubeObject } from '../../../kube/client/client.ts';
import { isForbidden } from '../../../kube/client/errors.ts';
import { recordEvent } from '../../../kube/objects/events.ts';
import { customResource } from '../../../kube/client/paths.ts';
import type { ActivityDependencies } from '../../runtime/dependencies.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { readNode } from '../../../kube/objects/nodes.ts';
import {
  component,
  machineSubject,
  patchMachine,
  readMachine,
  readSameMachine,
  referenceOf,
} from '../object.ts';
import { phaseOf, wasNodeSeen } from '../prepared.ts';
import { statusPatch } from '../status.ts';

/** Name of another Machine that the Node names and that names the Node. */
export async function competingMachine(
  control: KubeClient,
  node: Node,
  machine: ObjectReference,
): Promise<string | undefined> {
  const elsewhere = await machineElsewhere(control, node, machine);
  if (elsewhere !== undefined) return elsewhere;
  const { metadata } = node;
  const name = metadata.labels?.[labels.machineName] ?? '';
  if (name === '' || name === machine.name) return undefined;
  const other = await readMachine(control, { namespace: machine.namespace, name });
  return other?.metadata.labels?.[labels.node] === metadata.name ? name : undefined;
}

/** The namespace of the Machine that a Node names, as we wrote it there; undefined: this one. */
export function otherNamespaceIn(
  { annotations: notes }: Node['metadata'],
  own: string,
): string | undefined {
  const said = notes?.[annotations.nodeMachineNamespace] || own;
  return said === own ? undefined : said;
}

/**
 * Namespaces may share a target cluster, and a Machine may name any Node there: a client that may
 * write Machines in one namespace must not reach the Nodes of another. A Machine that may not be
 * read counts as there.
 */
async function machineElsewhere(
  control: KubeClient,
  { metadata }: Node,
  machine: ObjectReference,
): Promise<string | undefined> {
  const namespace = otherNamespaceIn(metadata, machine.namespace);
  if (namespace === undefined) return undefined;
  const { [annotations.nodeMachine]: name = '' } = metadata.annotations ?? {};
  const where = `${namespace}/${name}`;
  try {
    const other = await readMachine(control, { namespace, name });
    return other?.metadata.labels?.[labels.node] === metadata.name ? where : undefined;
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return `${where}, which may not be read here (if it is gone, remove the annotation ${annotations.nodeMachineNamespace} of the Node)`;
  }
}

/** The Node that a Machine names as its own, and the instance that it must be of. */
export interface NodeClaim {
  machine: ObjectReference;
  nodeName: string;
  /** ID on the Machine; absent when it is not known. */
  providerID?: string;
  /** UID of the Node that the Machine has joined by: its own Node, also with other labels. */
  nodeUid?: string | undefined;
  /** Nothing but the object, which its author may have made so, names Node and instance. */
  isUnproven?: boolean | undefined;
}

/** Claim of the Node that a Machine names; undefined where it names none. */
export function claimOf(machine: Machine, nodeUid?: string): NodeClaim | undefined {
  const nodeName = machine.metadata.labels?.[labels.node] ?? '';
  if (nodeName === '') return undefined;
  const { providerID = '' } = machine.spec;
  // Its status is the worker's word, and labels and spec are those of who may write Machines.
  const isUnproven = !hasJoined(phaseOf(machine)) && !wasNodeSeen(machine);
  return { machine: referenceOf(machine), nodeName, nodeUid, providerID, isUnproven };
}

/**
 * Why the Node of this name is not this machine's; undefined when it is. Names come back: where
 * Nodes are called by their address, another machine may have the name by now. And a Machine may
 * name any Node: one that no Machine made is to stay as it is.
 */
export async function otherOwnerReason(
  control: KubeClient,
  node: Node | undefined,
  claim: NodeClaim,
): Promise<string | undefined> {
  if (node && node.metadata.uid === claim.nodeUid) return undefined;
  return (
    contradictionOf(wordOf(node), claim) ??
    (await rivalReason(control, node, claim)) ??
    (await unprovenReason(control, node, claim))
  );
}

async function rivalReason(
  control: KubeClient,
  node: Node | undefined,
  claim: NodeClaim,
): Promise<string | undefined> {
  const { machine, nodeName } = claim;
  const said = wordOf(node);
  const elsewhere = node && (await machineElsewhere(control, node, machine));
  if (elsewhere !== undefined) return `Node ${nodeName} is that of Machine ${elsewhere}`;
  if (said.machine === machine.name) return undefined;
  const isKnown = said.machine !== '' || isOfKnownInstance(said, claim);
  const competitor =
    node && isKnown
      ? await competingMachine(control, node, machine)
      : await claimantOf(control, claim);
  return competitor === undefined ? undefined : `Node ${nodeName} is that of Machine ${competitor}`;
}

/**
 * A Node is a machine's by the label that we put there, by the instance that a cloud knows as the
 * machine's, or, where it says neither, as the one that came after the machine. A missing Node has
 * nothing to lose but pods that are bound to its name.
 */
async function unprovenReason(
  control: KubeClient,
  node: Node | undefined,
  claim: NodeClaim,
): Promise<string | undefined> {
  const { machine, nodeName, isUnproven = false } = claim;
  const said = wordOf(node);
  if (said.machine === machine.name) return undefined;
  if (isUnproven)
    return `nothing but Machine ${machine.name} itself says that Node ${nodeName} is its`;
  if (!node || isOfKnownInstance(said, claim)) return undefined;
  const own = await readSameMachine(control, machine);
  const isMute = said.providerID === '' && said.machine === '';
  if (isMute && own && isYounger(node, own)) return undefined;
  return `Node ${nodeName} was there before Machine ${machine.name}, and has neither its providerID nor, as label ${labels.machineName}, its name`;
}

export function isYounger({ metadata }: Node, machine: Machine): boolean {
  return Date.parse(metadata.creationTimestamp) >= Date.parse(machine.metadata.creationTimestamp);
}

/** Instance and Machine of a Node, by its own fields; empty where it names none. */
interface Word {
  providerID: string;
  machine: string;
}

function wordOf(node: Node | undefined): Word {
  const { providerID = '' } = node?.spec ?? {};
  return { providerID, machine: node?.metadata.labels?.[labels.machineName] ?? '' };
}

function contradictionOf(said: Word, claim: NodeClaim): string | undefined {
  const { machine, nodeName, providerID } = claim;
  if (!isSameInstance(said.providerID, providerID)) {
    return `Node ${nodeName} is of instance ${said.providerID}, not of ${providerID}`;
  }
  const isOthers = said.machine !== '' && said.machine !== machine.name;
  return isOthers && said.providerID === ''
    ? `Node ${nodeName} is labelled as that of Machine ${said.machine}`
    : undefined;
}

function isOfKnownInstance(said: Word, { providerID = '' }: NodeClaim): boolean {
  return said.providerID !== '' && providerID !== '';
}

/** Name of another Machine that names this Node. */
async function claimantOf(
  control: KubeClient,
  { machine, nodeName }: NodeClaim,
): Promise<string | undefined> {
  // No label can have it.
  if (nodeName.length > longestLabelValue) return undefined;
  const { items } = await control.list<KubeObject>(customResource('machines', machine.namespace), {
    as: 'PartialObjectMetadata',
    labelSelector: `${labels.node}=${nodeName}`,
  });
  return items.find(({ metadata }) => metadata.uid !== machine.uid)?.metadata.name;
}

/** Why a machine cannot join by the Node that was seen Ready under its name; undefined: it can. */
export async function contestOf(
  control: KubeClient,
  node: Node,
  claim: NodeClaim,
): Promise<string | undefined> {
  const { machine, nodeName } = claim;
  const cannotJoin = `so Machine ${machine.name} cannot join by it`;
  const competitor = await competingMachine(control, node, machine);
  if (competitor !== undefined) {
    return `Node ${nodeName} is that of Machine ${competitor}, ${cannotJoin}: delete one of the two`;
  }
  const reason =
    contradictionOf(wordOf(node), claim) ?? (await unprovenReason(control, node, claim));
  return reason && `${reason}, ${cannotJoin}: delete the Node, or set that label if it is its own`;
}

/** Returns what was said. */
export async function reportContest(
  control: KubeClient,
  machine: ObjectReference,
  description: string,
): Promise<string> {
  const operation = { description, state: 'Failed', type: 'Create' } as const;
  await patchMachine(control, machine, { status: statusPatch({ operation, errorCode: null }) });
  recordEvent(control, machineSubject(machine), {
    type: 'Warning',
    reason: 'NodeClaimed',
    message: description,
    component,
  });
  return description;
}

/**
 * A Node of the same name is left of an earlier instance: the kubelet of the new one would take it
 * over.
 */
export async function findStaleNode(
  { target }: ActivityDependencies,
  { instance }: { instance: Instance },
): Promise<{ isStale: boolean }> {
  const node = target && (await readNode(target, instance.nodeName));
  return { isStale: !!node && !isSameInstance(node.spec?.providerID, instance.providerID) };
}
