/** A check of a Machine that has joined: its conditions are copied, its phase follows its Node. */
import type { HealthOutcome, HealthRequest } from '../../workflows/contracts/machine-activities.ts';
import { formatDuration } from '../../workflows/api/duration.ts';
import { inPlaceReasonOf } from '../../workflows/api/in-place.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { NodeCondition } from '../../workflows/api/meta.ts';
import type { Evaluation, JoinedPhase } from '../../workflows/plan/machine/health.ts';
import {
  conditionsDiffer,
  deadlineOf,
  nextPhase,
  nodeFaults,
} from '../../workflows/plan/machine/health.ts';
import type { Period } from '../../workflows/values/pauses.ts';
import { defined } from '../../workflows/values/defined.ts';
import { hasJoined, isBeingUpdated } from '../../workflows/api/phases.ts';
import { isHealthHeld } from '../../workflows/plan/machine/in-place.ts';
import { isRejected } from '../../kube/client/errors.ts';
import { orOutOfReach } from './out-of-reach.ts';
import type { EventText } from '../../kube/objects/event.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { formatStop } from '../../kube/objects/global-stop.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import type { Node } from '../../kube/objects/nodes.ts';
import {
  component,
  isDeleting,
  machineSubject,
  patchCheckedStatus,
  readSameMachine,
  referenceOf,
} from './object.ts';
import type { StatusChanges } from './conditions.ts';
import { nodeConditionsOf } from './conditions.ts';
import { healthLimitsOf } from './limits.ts';
import { phaseOf } from './prepared.ts';
import type { StatusChange } from './status.ts';
import { nodeRefOf, statusPatch } from './status.ts';
import { timestamp } from '../../kube/objects/time.ts';
import { deleteMachine, formatRefusal, ownNode } from './node/deleted.ts';
import type { ReplacementHold } from '../runtime/memory.ts';
import { isMassDisappearance, recentMeltdown } from './meltdown.ts';
import { formatLoss } from './missing-instance-text.ts';
import { findHold } from './replacement.ts';
import { correctTargetCluster, recordTargetCluster } from './node/target-cluster.ts';

/** Also while the control cluster is out of reach: its Lease cannot be renewed. */
const noLeader = 'no watcher holds the Lease millwright, so nothing may be written';

/**
 * Never fails because an API server is out of reach, or lets nothing be read: the workflow has to
 * know, so that its clock stands still, and a step that went on trying would keep a deletion from
 * being seen.
 */
export async function checkHealth(
  dependencies: ActivityDependencies,
  request: HealthRequest,
): Promise<HealthOutcome> {
  if (!dependencies.activeWatcher.isActive())
    return { found: 'machine', finding: { outOfReach: noLeader } };
  const checked = await orOutOfReach(() => check(dependencies, request));
  return 'outOfReach' in checked ? { found: 'machine', finding: checked } : checked.answer;
}

async function check(
  dependencies: ActivityDependencies,
  request: HealthRequest,
): Promise<HealthOutcome> {
  const { control, target } = dependencies;
  const { machine, instance } = request;
  const current = await readSameMachine(control, machine);
  if (!current) return { found: 'nothing' };
  if (isDeleting(current)) return { found: 'deleting' };
  const phase = joinedPhaseOf(current);
  // Taken away by a restart of the worker with other flags: its Node cannot be read any more.
  if (!target) return { found: 'machine', finding: { phase, faults: [] } };
  const node = await ownNode({ ...dependencies, target }, { machine, ...instance });
  await correctTargetCluster(dependencies, { machine: current, node });
  const seen = { current, phase, node };
  if (!(await wasDeleted(dependencies, request, node))) {
    return { found: 'machine', finding: await evaluate(dependencies, request, seen) };
  }
  const refusal = await obstacleToDeletion(dependencies, current);
  if (refusal === undefined) return { found: 'deleting' };
  const finding = await evaluate(dependencies, request, { ...seen, refusal });
  return { found: 'machine', finding: { ...finding, refusal } };
}

/** Why a machine that is to go with its Node stays for now; undefined when it goes. */
async function obstacleToDeletion(
  dependencies: ActivityDependencies,
  machine: Machine,
): Promise<string | undefined> {
  const { stop, namespace } = dependencies;
  const present = stop.current();
  // A later check deletes it: one that waited would keep all else from being seen.
  if (present) return `its Node was deleted, and it goes later: ${formatStop(namespace, present)}`;
  const answer = await deleteMachine(dependencies, machine);
  return answer && formatRefusal(answer);
}

/** A status that another client wrote is corrected. */
function joinedPhaseOf(machine: Machine): JoinedPhase {
  const phase = phaseOf(machine);
  return phase === 'Failed' || hasJoined(phase) ? phase : 'Running';
}

/**
 * As in MCM, deleting a Node deletes its Machine; but a cluster that lost its Nodes
 * deletes none.
 */
async function wasDeleted(
  dependencies: ActivityDependencies,
  { hasLostNode }: HealthRequest,
  node: Node | undefined,
): Promise<boolean> {
  if (node) return node.metadata.deletionTimestamp !== undefined;
  return hasLostNode && !(await isMassDisappearance(dependencies));
}

interface SeenMachine {
  current: Machine;
  phase: JoinedPhase;
  node: Node | undefined;
  /** The machine is to go with its Node, and this is why it does not. */
  refusal?: string;
}

async function evaluate(
  dependencies: ActivityDependencies,
  request: HealthRequest,
  seen: SeenMachine,
): Promise<Evaluation> {
  const { current, node, refusal } = seen;
  const conditions = node?.status?.conditions ?? [];
  const { nodeConditions, timeoutSeconds } = healthLimitsOf(current, dependencies.defaults);
  const nodesFaults = node ? nodeFaults(conditions, nodeConditions) : ['the Node is missing'];
  // With the instance the agent is gone that could end the update.
  const hasLostUpdate =
    isBeingUpdated(seen.phase) && request.isInstanceGone === true && nodesFaults.length > 0;
  if (!hasLostUpdate && isHealthHeld(seen.phase, inPlaceReasonOf(conditions))) {
    await report(dependencies, request, { ...seen, next: seen.phase, faults: [] });
    return { phase: seen.phase, faults: [] };
  }
  const phase = nextPhase(seen.phase, nodesFaults.length === 0);
  const faults = [...lossIn(request, phase), ...listOf(refusal), ...nodesFaults];
  const written = await report(dependencies, request, { ...seen, next: phase, faults });
  const finding = defined({ phase, since: sinceOf(request, seen), timeoutSeconds, faults });
  const isWaiting = phase === 'Unknown' && seen.phase === 'Unknown';
  if (!isWaiting && !hasLostUpdate) return finding;
  const isOver = isTimeOver({ ...request, ...finding }, dependencies.pauses());
  const hold = isOver ? await holdOf(dependencies, current) : await recentMeltdown(dependencies);
  if (hold) return { ...finding, hold };
  if (!isOver) return finding;
  await fail(dependencies, request, { current: written, faults, timeoutSeconds });
  return { phase: 'Failed', faults };
}

function listOf(refusal: string | undefined): string[] {
  return refusal === undefined ? [] : [refusal];
}

/** A healthy Node is better proof than what the cloud says. */
function lossIn({ isInstanceGone, instance }: HealthRequest, phase: JoinedPhase): string[] {
  return isInstanceGone && phase !== 'Running' ? [formatLoss(instance)] : [];
}

/** No machine becomes Failed, to be replaced, while nothing may be created. */
export async function holdOf(
  dependencies: ActivityDependencies,
  machine: Machine,
): Promise<ReplacementHold | undefined> {
  const stop = dependencies.stop.current();
  if (stop) return { reason: formatStop(dependencies.namespace, stop), isMeltdown: false };
  return await findHold(dependencies, machine);
}

interface HealthClock {
  isInstanceGone?: boolean;
  since: number;
  pausedMs: number;
  timeoutSeconds?: number;
  now: number;
}

function isTimeOver(clock: HealthClock, pauses: readonly Period[]): boolean {
  const deadline = deadlineOf(clock, pauses);
  // Time does not bring an instance back. Without a limit no owner replaces the machine.
  if (clock.isInstanceGone && deadline !== undefined) return true;
  return deadline !== undefined && deadline <= clock.now;
}

/** A workflow that began anew goes by the object. */
function sinceOf({ since, now }: HealthRequest, { phase, current }: SeenMachine): number {
  if (phase !== 'Unknown') return now;
  return since ?? Date.parse(current.status?.currentStatus?.lastUpdateTime ?? timestamp(now));
}

type Evaluated = SeenMachine & { next: JoinedPhase; faults: string[] };

/**
 * One write of the status at most; where its conditions are refused, what follows from them is
 * written all the same. Returns the Machine as it is then.
 */
async function report(
  dependencies: ActivityDependencies,
  request: HealthRequest,
  evaluated: Evaluated,
): Promise<Machine> {
  const { control } = dependencies;
  const { machine } = request;
  const conditions = newConditionsOf(evaluated);
  const change = changeOf(evaluated) ?? newsOf(request, evaluated);
  if (!conditions && !change) return evaluated.current;
  const status = {
    // A machine of MCM has none, and gets it with the first write that there is a reason for.
    ...(evaluated.node && { nodeRef: nodeRefOf(evaluated.node) }),
    ...(change && statusOf(evaluated, change)),
  };
  const written = conditions
    ? await patchWithConditions(dependencies, evaluated, { ...status, conditions })
    : await patchCheckedStatus(control, evaluated.current, status);
  if (!change) return written;
  await recordTargetCluster(dependencies, { machine: evaluated.current, node: evaluated.node });
  recordEvent(control, machineSubject(machine), change.event);
  return written;
}

export async function patchWithConditions(
  { control }: Pick<ActivityDependencies, 'control'>,
  { current }: Pick<Evaluated, 'current'>,
  { conditions, ...status }: StatusChanges,
): Promise<Machine> {
  try {
    return await patchCheckedStatus(control, current, { ...status, ...defined({ conditions }) });
  } catch (error) {
    if (!isRejected(error)) throw error;
    const message = `The conditions of its Node were not copied: ${error.message}`;
    const event = { type: 'Warning', reason: 'FailedUpdate', message, component } as const;
    recordEvent(control, machineSubject(referenceOf(current)), event);
    const isMore = 'lastOperation' in status;
    return isMore ? await patchCheckedStatus(control, current, status) : current;
  }
}

/**
 * Undefined when those on the Machine say the same, or the Node is gone: the last ones stay, as in
 * MCM.
 */
export function newConditionsOf({
  current,
  node,
}: Pick<SeenMachine, 'current' | 'node'>): NodeCondition[] | undefined {
  if (!node) return undefined;
  const conditions = nodeConditionsOf(node);
  return conditionsDiffer(nodeConditionsOf(current), conditions) ? conditions : undefined;
}

function statusOf({ current, next }: Evaluated, { operation }: HealthChange): StatusChanges {
  // The time of the last update is that of the phase.
  const isPhaseNew = next !== phaseOf(current);
  return statusPatch({ ...(isPhaseNew && { phase: next }), operation, errorCode: null });
}

interface HealthChange {
  operation: StatusChange['operation'];
  event: EventText;
}

/** Texts of MCM v0.62.1; the conditions are those that are wrong, in words. */
function changeOf({ current, node, next, faults, refusal }: Evaluated): HealthChange | undefined {
  if (next === phaseOf(current)) return undefined;
  if (next === 'Running') return recovery(current);
  const { name } = current.metadata;
  const why = refusal === undefined ? '' : `: ${refusal}`;
  const description = node
    ? `Machine ${name} is unhealthy - changing MachinePhase to Unknown. Node conditions: ${faults.join('; ')}`
    : `Node object went missing. Machine ${name} is unhealthy - changing MachinePhase to Unknown${why}`;
  return {
    operation: { description, state: 'Processing', type: 'HealthCheck' },
    event: { type: 'Warning', reason: 'Unhealthy', message: description, component },
  };
}

/** Said once for each text, also where nothing comes of it now. */
function newsOf(request: HealthRequest, evaluated: Evaluated): HealthChange | undefined {
  const { current, next, refusal } = evaluated;
  const losses = lossIn(request, next);
  const news = [...losses, ...listOf(refusal)];
  const { description: known = '' } = current.status?.lastOperation ?? {};
  if (news.every((words) => known.includes(words))) return undefined;
  const description = `Machine ${current.metadata.name} is unhealthy: ${news.join('; ')}`;
  const reason = losses.length > 0 ? 'InstanceGone' : 'FailedDelete';
  return {
    operation: { description, state: 'Processing', type: 'HealthCheck' },
    event: { type: 'Warning', reason, message: description, component },
  };
}

function recovery({ metadata: { name }, status }: Machine): HealthChange {
  const { type, state } = status?.lastOperation ?? {};
  const isFirst = type === 'Create' && state !== 'Successful';
  const description = `Machine ${name} successfully ${isFirst ? 'joined' : 're-joined'} the cluster`;
  return {
    operation: { description, state: 'Successful', type: isFirst ? 'Create' : 'HealthCheck' },
    event: { type: 'Normal', reason: 'Healthy', message: description, component },
  };
}

async function fail(
  { control }: ActivityDependencies,
  { machine, isInstanceGone = false }: HealthRequest,
  {
    current,
    faults,
    timeoutSeconds,
  }: { current: Machine; faults: string[]; timeoutSeconds: number | undefined },
): Promise<void> {
  const why = isInstanceGone
    ? 'has lost its instance'
    : `health checks failing since last ${formatDuration(timeoutSeconds ?? 0)}`;
  const description = `Machine ${machine.name} ${why}. Updating machine phase to Failed. Node Conditions: ${faults.join('; ')}`;
  const type = current.status?.lastOperation?.type ?? 'HealthCheck';
  const status = statusPatch({
    phase: 'Failed',
    operation: { description, state: 'Failed', type },
    errorCode: null,
  });
  await patchCheckedStatus(control, current, status);
  recordEvent(control, machineSubject(machine), {
    type: 'Warning',
    reason: isInstanceGone ? 'InstanceGone' : 'HealthTimeout',
    message: description,
    component,
  });
}
