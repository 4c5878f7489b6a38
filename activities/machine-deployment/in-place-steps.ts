/**
 * What an update in place writes to Nodes and Machines. A step may come an hour late and may run
 * twice: each reads what there is, and does what is still right.
 */
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { annotations, labels, taints } from '../../workflows/api/constants.ts';
import type { InPlaceNode } from '../../workflows/api/in-place.ts';
import { inPlaceNodeOf } from '../../workflows/contracts/in-place-node.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine, Taint } from '../../workflows/api/machine.ts';
import { matches } from '../../workflows/api/selector.ts';
import type { InPlaceStep } from '../../workflows/plan/machine-deployment/rollout/steps.ts';
import {
  byAge,
  newSetAmong,
} from '../../workflows/plan/machine-deployment/rollout/template-set.ts';
import { isFailed, isPresent } from '../../workflows/plan/machine-set/deletions.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';
import { retryOnConflict } from '../../kube/client/retry-on-conflict.ts';
import { changingKeys, sameVersion, replacing } from '../../kube/objects/json-patch.ts';
import type { Node } from '../../kube/objects/nodes.ts';
import { readNode } from '../../kube/objects/nodes.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import type { GateDependencies } from '../disruption/dependencies.ts';
import { updatesInPlace } from '../disruption/going.ts';
import type { UpdateRequest } from '../disruption/grants.ts';
import { takeForUpdates } from '../disruption/grants.ts';
import { isReady } from '../disruption/rolling.ts';
import { claimOf, otherOwnerReason } from '../machine/node/claims.ts';
import { uncordonPatch } from '../machine/node/cordon.ts';
import { factOf } from '../machine-set/facts.ts';
import { ownerReferenceOf } from '../machine-set/ownership.ts';
import { inParallel } from '../runtime/parallel.ts';
import { nowMs } from '../system/system.ts';
import type { InPlaceStage, Placed, NodesByName } from './in-place-facts.ts';
import {
  hasAgent,
  isAnswered,
  isOutdated,
  isSettled,
  listNodesForUpdate,
  nodeAmong,
  stageOf,
} from './in-place-facts.ts';
import { readLiving, reportOn } from './lifecycle.ts';
import { machinesOf } from './machines.ts';
import { parallelCalls, patchAll } from './node-patches.ts';
import { madeAt } from './watched-machines.ts';

export interface NodeDependencies extends GateDependencies {
  target: KubeClient;
}

type StepOf<Action extends InPlaceStep['action']> = Extract<InPlaceStep, { action: Action }>;

export async function applyInPlaceStep(
  dependencies: NodeDependencies,
  ref: ObjectReference,
  step: InPlaceStep,
): Promise<void> {
  const present = await readView(dependencies, ref);
  if (!present) return;
  const done = await namesDoneBy(dependencies, present, step);
  if (done.length === 0) return;
  const { reason, words } = texts[step.action];
  const message = `${words}: ${done.length} of ${step.machines.length} (${listOf(done)})`;
  await reportOn(dependencies.control, ref, { type: 'Normal', reason, message });
}

/** MCM v0.62.1 writes no Event for any of it. */
const texts: Record<InPlaceStep['action'], { reason: string; words: string }> = {
  markCandidates: {
    reason: 'MarkedForUpdate',
    words: 'Nodes that became candidates for an update in place',
  },
  unmarkNodes: {
    reason: 'UnmarkedForUpdate',
    words: 'Nodes that are not to be updated in place any more',
  },
  selectForUpdate: {
    reason: 'SelectedForUpdate',
    words: 'Nodes that were selected for an update in place',
  },
  moveMachines: {
    reason: 'MovedMachines',
    words: 'Updated machines that moved to the machine set of the template',
  },
  tidyUpdated: {
    reason: 'UpdatedInPlace',
    words: 'Machines whose update in place is over',
  },
};

const mostNamed = 10;

function listOf(names: readonly string[]): string {
  const more = names.length > mostNamed ? ', ...' : '';
  return `${names.slice(0, mostNamed).join(', ')}${more}`;
}

async function namesDoneBy(
  dependencies: NodeDependencies,
  present: UpdateView,
  step: InPlaceStep,
): Promise<string[]> {
  switch (step.action) {
    case 'markCandidates':
      return await markCandidates(dependencies, present, step);
    case 'unmarkNodes':
      return await unmarkNodes(dependencies, present, step);
    case 'selectForUpdate':
      return await selectForUpdate(dependencies, present, step);
    case 'moveMachines':
      return await moveMachines(dependencies, present, step);
    case 'tidyUpdated':
      return await tidyUpdated(dependencies, present, step);
  }
}

interface MemberOfSet extends Omit<Placed, 'node'> {
  set: MachineSet;
}

interface UpdateView {
  deployment: MachineDeployment;
  /** The set of the template, unless it is being deleted. */
  newSet: MachineSet | undefined;
  /** By UID. */
  sets: ReadonlyMap<string, MachineSet>;
  /** By name; of these sets. */
  members: ReadonlyMap<string, MemberOfSet>;
}

/** Undefined where nothing is to be updated in place any more. */
async function readView(
  { control, machineSets, machines: lists }: NodeDependencies,
  ref: ObjectReference,
): Promise<UpdateView | undefined> {
  const deployment = await readLiving(control, ref);
  const isGoing = deployment?.metadata.deletionTimestamp !== undefined;
  if (!deployment || isGoing || !updatesInPlace(deployment)) return undefined;
  const all = await machineSets.list(ref.namespace);
  const own = all.filter((set) => controllerOf(set)?.uid === ref.uid).toSorted(byAge);
  const ofTemplate = newSetAmong(deployment, own);
  const newSet = ofTemplate?.metadata.deletionTimestamp === undefined ? ofTemplate : undefined;
  const sets = new Map(own.map((set) => [set.metadata.uid, set]));
  const members = new Map<string, MemberOfSet>();
  for (const machine of await machinesOf(lists, deployment, own)) {
    const set = sets.get(controllerOf(machine)?.uid ?? '');
    const of = { isOfTemplate: set === newSet, templateSince: newSet && madeAt(newSet) };
    if (set) members.set(machine.metadata.name, { machine, set, ...of });
  }
  return { deployment, newSet, sets, members };
}

/** Those of the names that are there, in the order of the names. */
function membersNamed({ members }: UpdateView, names: readonly string[]): MemberOfSet[] {
  return names.flatMap((name) => members.get(name) ?? []);
}

const machinesIn = (members: readonly MemberOfSet[]): Machine[] =>
  members.map(({ machine }) => machine);

const labelsPath = '/metadata/labels';
const notesPath = '/metadata/annotations';

const saidBy = (node: Node): InPlaceNode => inPlaceNodeOf(node) ?? {};

async function markCandidates(
  dependencies: NodeDependencies,
  present: UpdateView,
  { machines }: StepOf<'markCandidates'>,
): Promise<string[]> {
  // Without a set of the template it is not known what they are candidates for.
  if (!present.newSet) return [];
  const old = membersNamed(present, machines).filter((one) => stageOf(one) === 'unmarked');
  return await patchAll(dependencies, machinesIn(old), candidatePatch);
}

/**
 * A Node that a person, or an agent on its own account, has updated is found by the label of those
 * that are selected.
 */
function candidatePatch(node: Node): object[] {
  const said = saidBy(node);
  const isSelected = said.isCandidate && isAnswered(said);
  return changingKeys(labelsPath, node.metadata.labels, {
    [labels.candidateForUpdate]: 'true',
    ...(isSelected && { [labels.selectedForUpdate]: 'true' }),
  });
}

const withoutMarks = {
  [labels.candidateForUpdate]: null,
  [labels.selectedForUpdate]: null,
  [labels.updateResult]: null,
};

function unmarkingPatch({ metadata }: Node): object[] {
  return [
    ...changingKeys(labelsPath, metadata.labels, withoutMarks),
    ...changingKeys(notesPath, metadata.annotations, { [annotations.updateFailedReason]: null }),
  ];
}

/** What holds is written for the Node as it was read: a condition decides. */
function forThisVersion(node: Node, patch: readonly object[]): object[] {
  return patch.length === 0 ? [] : [sameVersion(node), ...patch];
}

async function unmarkNodes(
  dependencies: NodeDependencies,
  present: UpdateView,
  { machines }: StepOf<'unmarkNodes'>,
): Promise<string[]> {
  const wanted = membersNamed(present, machines).filter(
    ({ machine, isOfTemplate }) => isOfTemplate && isPresent(factOf(machine)),
  );
  return await patchAll(dependencies, machinesIn(wanted), (node) => {
    const { isSelected, reason } = saidBy(node);
    // From then on the agent may be at work, and says how it ends.
    if (hasAgent(reason) || reason === 'UpdateFailed' || isAnswered(saidBy(node))) return [];
    // A Node that was not selected yet was cordoned by others.
    const isOurs = isSelected || reason === 'SelectedForUpdate';
    const patch = [...unmarkingPatch(node), ...(isOurs ? uncordonPatch(node) : [])];
    return forThisVersion(node, patch);
  });
}

async function selectForUpdate(
  dependencies: NodeDependencies,
  present: UpdateView,
  step: StepOf<'selectForUpdate'>,
): Promise<string[]> {
  return isReady(present.deployment, nowMs()) ? await select(dependencies, present, step) : [];
}

/** Also where people select each Node. Returns the names of those that are selected now. */
export async function selectForPerson(
  dependencies: NodeDependencies,
  ref: ObjectReference,
  step: StepOf<'selectForUpdate'>,
): Promise<string[]> {
  const present = await readView(dependencies, ref);
  return present ? await select(dependencies, present, step) : [];
}

async function select(
  dependencies: NodeDependencies,
  present: UpdateView,
  { machines, most, disrupts, isUrgent }: StepOf<'selectForUpdate'>,
): Promise<string[]> {
  const { deployment, newSet } = present;
  if (!newSet) return [];
  const nodes = await listNodesForUpdate(dependencies.target);
  const count = [...present.members.values()].filter((one) => isBusy(one, nodes)).length;
  const free = membersNamed(present, machines)
    .filter((one) => stageAmong(nodes, one) === 'candidate')
    .slice(0, Math.max(most - count, 0));
  const request = { deployment, isUrgent, members: free };
  const chosen = disrupts ? await allowedOf(dependencies, request) : free;
  const selected = await patchAll(dependencies, machinesIn(chosen), selectionPatch);
  if (disrupts && selected.length > 0) dependencies.disrupted('Rollout', selected.length);
  return selected;
}

function stageAmong(nodes: NodesByName, member: MemberOfSet): InPlaceStage | undefined {
  return stageOf({ ...member, node: nodeAmong(nodes, member.machine) });
}

function isBusy(member: MemberOfSet, nodes: NodesByName): boolean {
  const stage = stageAmong(nodes, member);
  return stage === 'selected' || (stage === 'recalled' && isSelectedAmong(nodes, member));
}

function isSelectedAmong(nodes: NodesByName, { machine }: MemberOfSet): boolean {
  return nodeAmong(nodes, machine) !== undefined;
}

/** Grants are in the status of the policies when this returns. */
async function allowedOf(
  dependencies: NodeDependencies,
  { members, ...request }: Omit<UpdateRequest, 'machines'> & { members: readonly MemberOfSet[] },
): Promise<MemberOfSet[]> {
  const machines = members.map(({ machine, set }) => ({
    machine: machine.metadata.name,
    set: set.metadata.name,
  }));
  const taken = await takeForUpdates(dependencies, { ...request, machines });
  return members.filter(({ machine }) => taken.includes(machine.metadata.name));
}

function selectionPatch(node: Node): object[] {
  const { isCandidate, isSelected, result, reason } = saidBy(node);
  const isFree = isCandidate && !isSelected && result === undefined;
  if (!isFree || reason !== 'CandidateForUpdate') return [];
  const change = { [labels.selectedForUpdate]: 'true' };
  return forThisVersion(node, changingKeys(labelsPath, node.metadata.labels, change));
}

async function moveMachines(
  dependencies: NodeDependencies,
  present: UpdateView,
  { machines, to }: StepOf<'moveMachines'>,
): Promise<string[]> {
  if (present.newSet?.metadata.name !== to) return [];
  const moved: Machine[] = [];
  await inParallel(membersNamed(present, machines), parallelCalls, async ({ machine }) => {
    const written = await moveOne(dependencies, present, machine);
    if (written) moved.push(written);
  });
  await patchAll(dependencies, moved, uncordonPatch);
  return moved.map(({ metadata }) => metadata.name).toSorted();
}

/** The Machine as it was written; undefined where it is not to be moved any more. */
async function moveOne(
  dependencies: NodeDependencies,
  { newSet, sets }: UpdateView,
  seen: Machine,
): Promise<Machine | undefined> {
  const { control } = dependencies;
  const { namespace = '', name } = seen.metadata;
  const path = customResource('machines', namespace, name);
  return await retryOnConflict(async (isAgain) => {
    const machine = isAgain ? await ignoreNotFound(control.get<Machine>(path)) : seen;
    const from = machine && sets.get(controllerOf(machine)?.uid ?? '');
    if (!newSet || !from || from === newSet || !isClosed(from)) return undefined;
    const mayMove = await isUpdated(dependencies, { machine, templateSince: madeAt(newSet) });
    if (!mayMove) return undefined;
    const patch = movingPatch(machine, { from, to: newSet });
    return await ignoreNotFound(control.patch<Machine>(path, 'merge', patch));
  });
}

/** Asks its Node. */
async function isUpdated(
  { control, target }: NodeDependencies,
  placed: Pick<Placed, 'machine' | 'templateSince'>,
): Promise<boolean> {
  const { machine } = placed;
  const fact = factOf(machine);
  const claim = claimOf(machine);
  if (!claim || !isPresent(fact) || isFailed(fact) || !isSettled(machine)) return false;
  const node = await readNode(target, claim.nodeName);
  const said = node && inPlaceNodeOf(node);
  if (!isAnswered(said) || isOutdated(placed, said)) return false;
  return (await otherOwnerReason(control, node, claim)) === undefined;
}

/** An open one would make another in its place. */
function isClosed({ metadata }: MachineSet): boolean {
  return labels.scaleUpDisabled in (metadata.labels ?? {});
}

/**
 * As MCM v0.62.1, which does without a precondition: labels of the selectors alone change. Other
 * owners stay. A mark of the cluster autoscaler on which the old set did not act goes: the new one
 * may have a later note, and would delete the machine for having moved. One that still holds is on
 * the deployment's list, and comes back.
 */
function movingPatch(
  { metadata }: Machine,
  { from, to }: { from: MachineSet; to: MachineSet },
): object {
  const { uid, resourceVersion, ownerReferences = [] } = metadata;
  const others = ownerReferences.filter((owner) => owner.uid !== from.metadata.uid);
  const left = Object.keys(from.spec.selector?.matchLabels ?? {}).map((key) => [key, null]);
  const changed: Record<string, string | null> = {
    ...Object.fromEntries(left),
    ...to.spec.selector?.matchLabels,
    [labels.updateResult]: 'successful',
  };
  requireSelected(to, { ...metadata.labels, ...changed });
  const isMarked = annotations.markedForDeletionTime in (metadata.annotations ?? {});
  return {
    metadata: {
      uid,
      resourceVersion,
      ownerReferences: [...others, ownerReferenceOf(to)],
      labels: changed,
      ...(isMarked && { annotations: { [annotations.markedForDeletionTime]: null } }),
    },
  };
}

/** The set would let it go at once, and make another. */
function requireSelected(
  { metadata: { name }, spec }: MachineSet,
  changed: Readonly<Record<string, string | null>>,
): void {
  const left = Object.entries(changed).flatMap(([key, value]): [string, string][] =>
    value === null ? [] : [[key, value]],
  );
  if (matches(spec.selector, Object.fromEntries(left))) return;
  throw new Error(
    `the selector of MachineSet ${name} does not match machines of earlier sets with its matchLabels alone: remove its matchExpressions`,
  );
}

/** Nodes first: where the label is gone from the Machine, nothing is left to do. */
async function tidyUpdated(
  dependencies: NodeDependencies,
  present: UpdateView,
  { machines }: StepOf<'tidyUpdated'>,
): Promise<string[]> {
  const nodes = await listNodesForUpdate(dependencies.target);
  const arrived = membersNamed(present, machines).filter(
    (one) => stageAmong(nodes, one) === 'arrived' && isCovered(present, one.set),
  );
  const byName = new Map(arrived.map((one) => [one.machine.metadata.name, one]));
  const cleaned = await patchAll(dependencies, machinesIn(arrived), (node, { metadata }) => {
    const { isOfTemplate = false } = byName.get(metadata.name) ?? {};
    return tidyPatch(node, isOfTemplate);
  });
  const labelled = machinesIn(arrived).filter((machine) => factOf(machine).isUpdatedInPlace);
  await inParallel(labelled, parallelCalls, (machine) => unlabel(dependencies.control, machine));
  const unlabelled = labelled.map(({ metadata }) => metadata.name);
  return [...new Set([...cleaned, ...unlabelled])].toSorted();
}

/**
 * The size of the set counts the machines that were moved: without the label one that it does not
 * count would be too many. Fewer than the deployment wants are wanted by people.
 */
function isCovered({ deployment, members }: UpdateView, set: MachineSet): boolean {
  const own = [...members.values()].filter((one) => one.set === set);
  const count = own.filter(({ machine }) => isPresent(factOf(machine))).length;
  return (set.spec.replicas ?? 0) >= Math.min(count, deployment.spec.replicas ?? 0);
}

const critical: Taint = { key: taints.criticalComponentsNotReady, effect: 'NoSchedule' };

/** As MCM v0.62.1 leaves it. A Node of a set that is an old one by now is avoided as before. */
function tidyPatch(node: Node, isOfTemplate: boolean): object[] {
  const { taints: present = [] } = node.spec ?? {};
  const kept = present.filter(({ key }) => !isOfTemplate || key !== taints.preferNoSchedule);
  const isWaiting = kept.some(
    ({ key, effect }) => key === critical.key && effect === critical.effect,
  );
  if (!isAnswered(saidBy(node))) return [];
  const wanted = isWaiting ? kept : [...kept, critical];
  return forThisVersion(node, [
    ...unmarkingPatch(node),
    ...uncordonPatch(node),
    ...replacing('/spec/taints', node.spec?.taints, wanted),
  ]);
}

async function unlabel(control: KubeClient, { metadata }: Machine): Promise<void> {
  const { namespace = '', name, uid } = metadata;
  const path = customResource('machines', namespace, name);
  const patch = { metadata: { uid, labels: { [labels.updateResult]: null } } };
  await ignoreNotFound(control.patch(path, 'merge', patch));
}
