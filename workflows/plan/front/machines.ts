/** Our Machines as theirs, and what of theirs counts for ours. */
import { annotations, drainOptions, labels } from '../../api/constants.ts';
import type {
  KubermaticMachine,
  KubermaticMachineSet,
  KubermaticMachineStatus,
} from '../../api/kubermatic.ts';
import {
  front,
  kubermaticAnnotations,
  kubermaticApiVersion,
  kubermaticLabels,
} from '../../api/kubermatic-names.ts';
import type { Machine } from '../../api/machine.ts';
import type { OwnerReference } from '../../api/meta.ts';
import { defined } from '../../values/defined.ts';
import { mergePatchOf } from '../../values/merge-patch.ts';
import { isDeleting, isMirror, type NodeFacts, type PoolTemplate } from './facts.ts';
import { machineErrorOf } from './machine-error.ts';
import { patchUnlessSame, type Write } from './writes.ts';

export interface MirroredMachine {
  ours: Machine;
  theirs: KubermaticMachine | undefined;
  /** Of theirs. */
  set: KubermaticMachineSet;
  template: PoolTemplate;
  node: NodeFacts | undefined;
}

/** Writes that bring their Machine up to ours; its deletion is not among them. */
export function mirrorMachine(mirrored: MirroredMachine, now: string): Write[] {
  const { ours, theirs } = mirrored;
  if (!theirs) return isDeleting(ours) ? [] : [creationOf(mirrored, now)];
  return [...nodeWrites(mirrored, theirs), ...updateOf(mirrored, theirs, now)];
}

function creationOf({ ours, set, template, node }: MirroredMachine, now: string): Write {
  const { name, namespace } = ours.metadata;
  return {
    verb: 'create',
    kind: 'theirMachine',
    name,
    body: {
      apiVersion: kubermaticApiVersion,
      kind: 'Machine',
      metadata: defined({
        name,
        namespace,
        labels: labelsOf(ours),
        annotations: template.written.metadata?.annotations,
        finalizers: [front.finalizer],
        ownerReferences: [ownerOf('MachineSet', set)],
      }),
      spec: specOf(ours, template),
      // Their UID is not known yet, and a Node has to be theirs before they name it.
      status: { ...statusOf(ours, undefined, node), nodeRef: undefined, lastUpdated: now },
    },
  };
}

function updateOf(mirrored: MirroredMachine, theirs: KubermaticMachine, now: string): Write[] {
  const { ours, node } = mirrored;
  const providerID = providerIDOf(ours, mirrored.template);
  const { name, taken } = identityOf(ours);
  const { lastUpdated: _at, providerStatus: _other, ...present } = theirs.status ?? {};
  const status = mergePatchOf(present, statusOf(ours, present, node));
  const spec = defined({
    metadata:
      taken && theirs.spec.metadata?.name !== name ? { ...theirs.spec.metadata, name } : undefined,
    // It is written once; machine-controller makes one up (`kubermatic://`) where Nodes get none.
    providerID: theirs.spec.providerID ? undefined : providerID,
  });
  return patchUnlessSame('theirMachine', theirs, {
    metadata: metadataPatch(mirrored, theirs),
    spec,
    status: status === undefined ? undefined : { ...Object(status), lastUpdated: now },
  });
}

/** Labels of the template, our finalizer and the owner are put back; those of others stay. */
function metadataPatch({ ours, set }: MirroredMachine, { metadata }: KubermaticMachine) {
  const { finalizers = [], ownerReferences = [] } = metadata;
  const owners = [
    ...ownerReferences.filter(({ controller }) => controller !== true),
    ownerOf('MachineSet', set),
  ];
  const isOwned =
    isDeleting(set) ||
    ownerReferences.some(({ controller, uid }) => controller && uid === set.metadata.uid);
  const isHeld = isDeleting({ metadata }) || isMirror({ metadata });
  return defined({
    labels: missing(metadata.labels, labelsOf(ours)),
    ownerReferences: isOwned ? undefined : owners,
    finalizers: isHeld ? undefined : [...finalizers, front.finalizer],
  });
}

/** Entries of `wanted` that `present` has not; undefined where it has all. */
export function missing(
  present: Readonly<Record<string, string>> = {},
  wanted: Readonly<Record<string, string>>,
): Record<string, string> | undefined {
  const left = Object.entries(wanted).filter(([key, value]) => present[key] !== value);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

export function ownerOf(
  kind: 'MachineSet' | 'MachineDeployment',
  { metadata: { name, uid } }: { metadata: { name: string; uid: string } },
): OwnerReference {
  const apiVersion = kubermaticApiVersion;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Those by which our core alone speaks to itself stay with us. */
const ownLabels: readonly string[] = Object.values(labels).filter(
  (label) => label !== labels.templateHash,
);

function labelsOf({ metadata }: Machine): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata.labels ?? {}).filter(([key]) => !ownLabels.includes(key)),
  );
}

/** Name of the Node; with them it is that of the Machine until another is known. */
function identityOf({ metadata, status }: Machine): { name: string; taken: boolean } {
  const known = status?.nodeRef?.name ?? metadata.labels?.[labels.node];
  return { name: known || metadata.name, taken: Boolean(known) };
}

function specOf(ours: Machine, template: PoolTemplate): object {
  const { spec } = template.written;
  return defined({
    ...spec,
    metadata: { ...spec.metadata, name: identityOf(ours).name },
    providerID: providerIDOf(ours, template),
  });
}

function providerIDOf({ spec }: Machine, { providerIDBack }: PoolTemplate): string | undefined {
  return spec.providerID && providerIDBack ? providerIDBack(spec.providerID) : spec.providerID;
}

function statusOf(
  ours: Machine,
  present: KubermaticMachineStatus | undefined,
  node: NodeFacts | undefined,
): KubermaticMachineStatus {
  const { addresses, conditions, currentStatus, lastOperation } = ours.status ?? {};
  const ofNode = nodeStatusOf(ours, present, node);
  return defined({
    phase: currentStatus?.phase,
    conditions: conditions?.filter(({ type }) => !statusOnly.has(type)),
    lastOperation:
      lastOperation &&
      defined({
        description: lastOperation.description,
        lastUpdated: lastOperation.lastUpdateTime,
        state: lastOperation.state,
        type: lastOperation.type,
      }),
    ...machineErrorOf(ours),
    ...ofNode,
    // Where machines have Nodes, the core leaves them out.
    addresses: addresses ?? ofNode.addresses,
  });
}

/** What only the Node says stays as it was where this pass has not read the Node. */
function nodeStatusOf(
  { status }: Machine,
  present: KubermaticMachineStatus | undefined,
  node: NodeFacts | undefined,
): KubermaticMachineStatus {
  const name = status?.nodeRef?.name;
  const before = name !== undefined && present?.nodeRef?.name === name ? present : {};
  if (!node) {
    const { nodeRef, versions, addresses } = before;
    return defined({ nodeRef, versions, addresses });
  }
  const { uid, kubeletVersion, addresses } = node;
  return defined({
    nodeRef: defined({ apiVersion: 'v1', kind: 'Node', name, uid }),
    versions: kubeletVersion ? { kubelet: kubeletVersion.replace(/^v/, '') } : before.versions,
    addresses: addresses.length > 0 ? [...addresses] : before.addresses,
  });
}

/** Of kstatus, about our object. */
const statusOnly = new Set(['Reconciling', 'Stalled']);

/**
 * The Nodes that a pass has to read: one that has joined is made theirs, and whatever changes may
 * be news of its Node; the Node of a machine that goes says whether it is drained.
 */
export function nodeToRead(
  ours: Machine,
  theirs: KubermaticMachine | undefined,
): string | undefined {
  const name = ours.status?.nodeRef?.name;
  if (name === undefined || !theirs) return undefined;
  if (isDeleting(ours) || isDeleting(theirs)) return name;
  const { lastUpdated: _at, providerStatus: _other, ...present } = theirs.status ?? {};
  const isSame = mergePatchOf(present, statusOf(ours, present, undefined)) === undefined;
  return isSame && present.nodeRef?.name === name ? undefined : name;
}

/** The cluster autoscaler and people go by these from the Node to the Machine. */
function nodeWrites({ ours, node }: MirroredMachine, theirs: KubermaticMachine): Write[] {
  const name = ours.status?.nodeRef?.name;
  if (!node || name === undefined || isDeleting(ours)) return [];
  const machine = `${theirs.metadata.namespace}/${theirs.metadata.name}`;
  const metadata = defined({
    annotations: missing(node.annotations, { [kubermaticAnnotations.nodeMachine]: machine }),
    labels: missing(node.labels, { [kubermaticLabels.ownedBy]: theirs.metadata.uid }),
  });
  if (Object.keys(metadata).length === 0) return [];
  const body = { metadata: { ...metadata, uid: node.uid } };
  return [
    { verb: 'patch', kind: 'node', name, read: { uid: node.uid, resourceVersion: '' }, body },
  ];
}

export interface Marked {
  ours: Machine;
  theirs: KubermaticMachine;
  node: NodeFacts | undefined;
}

/** Marks of theirs on our Machine: it goes first, and its Node is not drained. */
export function markMachine({ ours, theirs, node }: Marked, now: string): Write[] {
  const asked = theirs.metadata.annotations?.[kubermaticAnnotations.deleteMachine];
  const present = ours.metadata.annotations ?? {};
  const mark =
    asked === undefined ? undefined : markOf(asked, present[annotations.deleteMachine], now);
  const isSkipped = node?.annotations[kubermaticAnnotations.skipEviction] !== undefined;
  // A person who skips the drain of one that goes does so on ours.
  const isOver = node && !isSkipped && !isDeleting(ours) && !isDeleting(theirs);
  const wanted = {
    ...present,
    [annotations.deleteMachine]: mark,
    ...(isSkipped && { [drainOptions.skip]: 'true' }),
    ...(isOver && { [drainOptions.skip]: undefined }),
  };
  const notes = mergePatchOf(present, wanted);
  // `null`: none is left.
  const patch = notes === undefined ? undefined : { metadata: { annotations: notes } };
  return patchUnlessSame('machine', ours, patch);
}

const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/;

/** The later of two marks goes first, so that a mark without a time keeps the one it got. */
function markOf(asked: string, present: string | undefined, now: string): string {
  if (time.test(asked)) return asked;
  return present === undefined || present === '' ? now : present;
}
