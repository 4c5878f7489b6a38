/** Machines of a deployment that updates in place, by where the update of each of them is. */
import { labels } from '../../workflows/api/constants.ts';
import type { InPlaceNode, InPlaceReason } from '../../workflows/api/in-place.ts';
import { inPlaceReasonOf, inPlaceUpdate } from '../../workflows/api/in-place.ts';
import { inPlaceNodeOf } from '../../workflows/contracts/in-place-node.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { InPlaceMachines } from '../../workflows/plan/machine-deployment/rollout/facts.ts';
import { isFailed, isPresent } from '../../workflows/plan/machine-set/deletions.ts';
import { compareText } from '../../workflows/plan/machine-set/scale-down.ts';
import { clip } from '../../workflows/values/clip.ts';
import { isSameInstance } from '../../workflows/values/provider-id.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { node as nodePath } from '../../kube/client/paths.ts';
import type { Node } from '../../kube/objects/nodes.ts';
import { byController } from '../../kube/objects/owners.ts';
import { updatesInPlace } from '../disruption/going.ts';
import { factOf } from '../machine-set/facts.ts';
import { after } from '../system/system.ts';
import { nodeOf } from './machines.ts';
import type { Clock } from './set-facts.ts';
import { hasJoined, isAvailableFor } from './set-facts.ts';

/** Those that are selected for an update in place, by name. */
export type NodesByName = ReadonlyMap<string, Node>;

/** Few, and not older than the call: how many there may be is a bound. */
export async function listNodesForUpdate(target: KubeClient): Promise<NodesByName> {
  const labelSelector = `${labels.selectedForUpdate}=true`;
  const { items } = await target.list<Node>(nodePath(), { labelSelector });
  return new Map(items.map((node) => [node.metadata.name, node]));
}

export interface Selection {
  nodes: NodesByName;
  /** Why they are not known. */
  unknown?: string;
  /** Name of a Machine that a person asks for: it comes first. */
  named?: string;
}

/** Less than a local activity has: what else is to be read must not wait for the other cluster. */
const longestListMs = 1_000;
/** It stands in the history of each read. */
const longestWhyBytes = 200;

/**
 * Undefined where no update in place is under way. The target cluster may be out of reach: then
 * replicas are served all the same.
 */
export async function selectionFor(
  target: KubeClient | undefined,
  deployment: MachineDeployment,
  seen: MachinesOfSets,
): Promise<Selection | undefined> {
  if (!target || !updatesInPlace(deployment)) return undefined;
  const { old, ofTemplate } = machinesBySet(seen);
  const isSure = old.length > 0 || ofTemplate.some(isMarked);
  // The condition of a Node that was updated stays: its labels say whether it is tidy.
  if (!isSure && !ofTemplate.some(wasUpdated)) return undefined;
  try {
    const nodes = await within(longestListMs, listNodesForUpdate(target));
    const isLeft = (machine: Machine): boolean => nodeAmong(nodes, machine) !== undefined;
    return isSure || ofTemplate.some(isLeft) ? { nodes } : undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return isSure ? { nodes: new Map(), unknown: clip(why, longestWhyBytes) } : undefined;
  }
}

interface MachinesOfSets {
  sets: readonly MachineSet[];
  newSet: MachineSet | undefined;
  /** Also those of others. */
  machines?: readonly Machine[];
}

function machinesBySet({ sets, newSet, machines = [] }: MachinesOfSets) {
  const bySet = byController(machines);
  const of = ({ metadata }: MachineSet): Machine[] => bySet.get(metadata.uid) ?? [];
  const old = sets.filter((set) => set !== newSet).flatMap(of);
  return { old, ofTemplate: newSet ? of(newSet) : [] };
}

async function within<T>(milliseconds: number, call: Promise<T>): Promise<T> {
  return await new Promise((resolve, reject) => {
    const late = new Error(`the list of selected Nodes took more than ${milliseconds} ms`);
    const timer = after(milliseconds, () => reject(late));
    call.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** The Machine itself says that something about an update is to be done or undone. */
function isMarked(machine: Machine): boolean {
  const isEnded = reasonOf(machine) === undefined || wasUpdated(machine);
  return factOf(machine).isUpdatedInPlace || !isEnded;
}

function wasUpdated(machine: Pick<Machine, 'status'>): boolean {
  return reasonOf(machine) === 'UpdateSuccessful';
}

export interface Placed {
  machine: Machine;
  /** Its Node, where that is selected. */
  node?: Node | undefined;
  isOfTemplate: boolean;
  /** When the set of the template was made, milliseconds; absent: there is none yet. */
  templateSince?: number | undefined;
}

export type InPlaceStage =
  | 'unmarked'
  | 'candidate'
  /** An agent works on it, will, or has failed. */
  | 'selected'
  /** Of the set of the template: selected, and no agent has begun. */
  | 'recalled'
  | 'updated'
  /** In the set that it was updated for, and not tidy; or updated for none that there is. */
  | 'arrived';

/** Undefined where nothing is to be done about it: it goes, is Failed, or has yet to join. */
export function stageOf(placed: Placed): InPlaceStage | undefined {
  const { machine, node, isOfTemplate } = placed;
  const fact = factOf(machine);
  if (!isPresent(fact)) return undefined;
  const said = node && inPlaceNodeOf(node);
  if (isOutdated(placed, said) || (isOfTemplate && isAnswered(said))) return 'arrived';
  if (isFailed(fact)) return node ? 'selected' : undefined;
  if (isAnswered(said) && isSettled(machine)) return 'updated';
  const isSelected = node !== undefined || isUnderWay(reasonOf(machine));
  return isOfTemplate ? stageOfTemplate(machine, isSelected) : stageOfOld(machine, isSelected);
}

function stageOfTemplate(machine: Machine, isSelected: boolean): InPlaceStage | undefined {
  const reason = reasonOf(machine);
  if (isSelected && hasBegun(reason)) return 'selected';
  return isSelected || reason === 'CandidateForUpdate' ? 'recalled' : undefined;
}

function stageOfOld(machine: Machine, isSelected: boolean): InPlaceStage | undefined {
  const reason = reasonOf(machine);
  if (isSelected) return 'selected';
  if (reason === 'CandidateForUpdate') return 'candidate';
  // A Node keeps the condition of its last update, which may be UpdateSuccessful.
  const mayBegin = reason !== 'UpdateFailed' && hasJoined(machine) && nodeOf(machine) !== undefined;
  return mayBegin ? 'unmarked' : undefined;
}

/** The agent on the Node has said so, and the Machine's workflow has seen it. */
export function isAnswered(said: InPlaceNode | undefined): boolean {
  return said?.result === 'successful' && said.reason === 'UpdateSuccessful';
}

/**
 * It was moved already; or what its agent said was of an earlier template, which MCM v0.62.1 takes
 * for the present one.
 */
export function isOutdated(
  { machine, templateSince = Infinity }: Pick<Placed, 'machine' | 'templateSince'>,
  said: InPlaceNode | undefined,
): boolean {
  const isEarlier = (said?.since ?? Infinity) < templateSince;
  return factOf(machine).isUpdatedInPlace || (isAnswered(said) && isEarlier);
}

/** The Machine's copy of the condition says so too, and it is not InPlaceUpdating: MCM v0.62.1. */
export function isSettled(machine: Pick<Machine, 'status'>): boolean {
  return wasUpdated(machine) && machine.status?.currentStatus?.phase !== 'InPlaceUpdating';
}

function isUnderWay(reason: InPlaceReason | undefined): boolean {
  return reason === 'SelectedForUpdate' || hasAgent(reason);
}

/** The agent may be at work. */
export function hasAgent(reason: InPlaceReason | undefined): boolean {
  return reason === 'DrainSuccessful' || reason === 'ReadyForUpdate';
}

function hasBegun(reason: InPlaceReason | undefined): boolean {
  return hasAgent(reason) || reason === 'UpdateFailed';
}

/** The Node of a machine among those that are selected. */
export function nodeAmong(nodes: NodesByName, machine: Machine): Node | undefined {
  const node = nodes.get(nodeOf(machine) ?? '');
  const { providerID } = machine.spec;
  const said = node?.metadata.labels?.[labels.machineName] ?? machine.metadata.name;
  const isOwn =
    said === machine.metadata.name && isSameInstance(node?.spec?.providerID, providerID);
  return isOwn ? node : undefined;
}

interface SetOfMachines extends Omit<Placed, 'machine' | 'node'> {
  machines: readonly Machine[];
}

/** What is patched in a few seconds. */
const mostNames = 100;

/** At most a hundred names of each but those that are selected. */
export function inPlaceMachinesOf(
  { machines, ...of }: SetOfMachines,
  { nodes, named }: Pick<Selection, 'nodes' | 'named'>,
  clock: Clock,
): InPlaceMachines {
  const byStage = new Map<InPlaceStage | undefined, Machine[]>();
  const rank = ({ metadata }: Machine): number => (metadata.name === named ? 0 : 1);
  for (const machine of machines.toSorted((a, b) => rank(a) - rank(b) || inTurn(a, b))) {
    const stage = stageOf({ ...of, machine, node: nodeAmong(nodes, machine) });
    byStage.set(stage, [...(byStage.get(stage) ?? []), machine]);
  }
  const at = (...stages: InPlaceStage[]): Machine[] =>
    stages.flatMap((stage) => byStage.get(stage) ?? []);
  const isAvailable = (machine: Machine): boolean => isAvailableFor(machine, clock);
  const selected = at('selected', 'recalled').filter(
    (machine) => nodeAmong(nodes, machine) || isUnderWay(reasonOf(machine)),
  );
  return {
    unmarked: namesOf(at('unmarked')),
    faulty: namesOf(at('candidate').filter((machine) => !isAvailable(machine))),
    ready: namesOf(at('candidate').filter(isAvailable)),
    // All of them: how many there are is a bound.
    selected: selected.map(({ metadata }) => metadata.name),
    selectedAvailable: selected.filter(isAvailable).length,
    failed: selected.flatMap((machine) => failureOf(machine) ?? []).slice(0, mostNames),
    updated: namesOf(at('updated')),
    arrived: namesOf(at('arrived')),
    marked: namesOf(at('recalled')),
  };
}

function reasonOf({ status }: Pick<Machine, 'status'>): InPlaceReason | undefined {
  return inPlaceReasonOf(status?.conditions);
}

function namesOf(machines: readonly Machine[]): string[] {
  return machines.map(({ metadata }) => metadata.name).slice(0, mostNames);
}

/** In which they are selected: by priority, then the oldest. MCM v0.62.1 has no order. */
function inTurn(first: Machine, second: Machine): number {
  const [a, b] = [factOf(first), factOf(second)];
  return a.priority - b.priority || a.createdAt - b.createdAt || compareText(a.name, b.name);
}

function failureOf({ metadata, status }: Machine): { name: string; why: string } | undefined {
  const isLate = status?.currentStatus?.phase === 'InPlaceUpdateFailed';
  const condition = status?.conditions?.find(({ type }) => type === inPlaceUpdate);
  const hasFailed = condition?.reason === 'UpdateFailed';
  if (!isLate && !hasFailed) return undefined;
  const said = hasFailed ? condition.message : status?.lastOperation?.description;
  return { name: metadata.name, why: clip(said ?? 'it failed', longestWhyBytes) };
}
