/** Keeps a machine for inspection, or ends that: on the Machine, and on its Node. */
import type {
  PreserveOutcome,
  PreserveRequest,
} from '../../../workflows/contracts/preservation-activities.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { preservationNotesOf, preserveNoteIn } from '../../../workflows/api/preservation.ts';
import { defined } from '../../../workflows/values/defined.ts';
import {
  planPreservation,
  type PreservationPlan,
} from '../../../workflows/plan/machine/preservation.ts';
import { isRejected, isUnreachable } from '../../../kube/client/errors.ts';
import type { EventText } from '../../../kube/objects/event.ts';
import { recordEvent } from '../../../kube/objects/events.ts';
import { timeOf, timestamp } from '../../../kube/objects/time.ts';
import type { ActivityDependencies } from '../../runtime/dependencies.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { component, machineSubject, patchMachine, patchStatus, readMachine } from '../object.ts';
import { preserveSecondsOf } from '../limits.ts';
import { phaseOf } from '../prepared.ts';
import { keepNode, letNodeGo, wasDrained } from './preserved-node.ts';
import { claimOf, otherOwnerReason } from '../node/claims.ts';
import { readNodeOf } from '../node/target-cluster.ts';

/**
 * Never fails because an API server is out of reach or refuses a write: a deletion must not wait
 * for this.
 */
export async function preserveMachine(
  dependencies: ActivityDependencies,
  request: PreserveRequest,
): Promise<PreserveOutcome> {
  try {
    return await follow(dependencies, request);
  } catch (error) {
    if (isUnreachable(error)) return { found: 'outOfReach', reason: error.message };
    if (!isRejected(error)) throw error;
    const message = `Error preserving the machine: ${error.message}`;
    recordEvent(dependencies.control, machineSubject(request.machine), { ...refusal, message });
    return { found: 'refused', reason: error.message };
  }
}

const refusal = { type: 'Warning', reason: 'FailedUpdate', component } as const;

async function follow(
  dependencies: ActivityDependencies,
  request: PreserveRequest,
): Promise<PreserveOutcome> {
  const machine = await readMachine(dependencies.control, request.machine);
  const { uid, deletionTimestamp } = machine?.metadata ?? {};
  if (!machine || uid !== request.machine.uid || deletionTimestamp !== undefined) {
    return { found: 'nothing' };
  }
  const node = await ownNode(dependencies, machine, request.nodeUid);
  const plan = planOf(dependencies, request, { machine, node });
  const clients = { ...dependencies, request, machine, node };
  await reportFaults(clients, plan);
  const noted = await copyNodesWord(clients, plan);
  if (plan.action === 'preserve') return await keep({ ...clients, machine: noted }, plan);
  const left = plan.action === 'stop' ? await stop({ ...clients, machine: noted }, plan) : noted;
  const isForgotten = plan.action === 'stop' && plan.forgets;
  return outcomeOf(left, isForgotten ? withoutWish(node) : node);
}

async function ownNode(
  { control, target, targetCluster }: ActivityDependencies,
  machine: Machine,
  nodeUid: string | undefined,
): Promise<Node | undefined> {
  const claim = claimOf(machine, nodeUid);
  if (!target || !claim) return undefined;
  const node = await readNodeOf({ control, target, targetCluster }, claim);
  return (await otherOwnerReason(control, node, claim)) === undefined ? node : undefined;
}

interface MachineWithNode {
  machine: Machine;
  node: Node | undefined;
}

function planOf(
  { defaults }: ActivityDependencies,
  { now }: PreserveRequest,
  { machine, node }: MachineWithNode,
): PreservationPlan {
  const { preserve, lastApplied } = preservationNotesOf(machine) ?? {};
  const facts = defined({
    requests: defined({ machine: preserve, lastApplied, node: wordOf(node) }),
    hasNode: node !== undefined,
    phase: phaseOf(machine),
    expiresAt: expiryOf(machine),
    timeoutSeconds: preserveSecondsOf(machine, defaults),
  });
  return planPreservation(facts, now);
}

function expiryOf({ status }: Machine): number | undefined {
  return timeOf(status?.currentStatus?.preserveExpiryTime);
}

function wordOf(node: Node | undefined): string | undefined {
  return node && preserveNoteIn(node.metadata.annotations);
}

type PreservationDependencies = ActivityDependencies &
  MachineWithNode & { request: PreserveRequest };

/**
 * As MCM v0.62.1: while the annotation of the Node counts, that of the Machine is removed, and a
 * copy of the Node's is kept on the Machine, which shows when it ends.
 */
async function copyNodesWord(
  clients: PreservationDependencies,
  plan: PreservationPlan,
): Promise<Machine> {
  const { machine, node } = clients;
  const { preserve, lastApplied } = preservationNotesOf(machine) ?? {};
  if (plan.from !== 'node' || !node) return machine;
  if (preserve === undefined && lastApplied === plan.value) return machine;
  return await annotate(clients, {
    [annotations.preserve]: null,
    [annotations.lastAppliedPreserve]: plan.value ?? null,
  });
}

async function annotate(
  { control, request, machine }: PreservationDependencies,
  notes: Record<string, string | null>,
): Promise<Machine> {
  const metadata = { annotations: notes };
  return (await patchMachine(control, request.machine, { metadata })) ?? machine;
}

async function writeExpiry(
  { control, machine }: PreservationDependencies,
  until: number | undefined,
) {
  const preserveExpiryTime = until === undefined ? null : timestamp(until);
  const status = { currentStatus: { preserveExpiryTime } };
  return (await patchStatus(control, machine, () => status)) ?? machine;
}

/** The Machine first: its MachineSet goes by that. */
async function keep(clients: PreservationDependencies, plan: Preserving): Promise<PreserveOutcome> {
  const { request, node } = clients;
  const { value, until, isToBeDrained } = plan;
  const machine = plan.isNew ? await writeExpiry(clients, until) : clients.machine;
  if (until !== request.until) await report(clients, preservedEvent(plan));
  if (request.drain?.error !== undefined)
    await report(clients, undrainedEvent(request.drain.error));
  const drain = endOfDrain(clients);
  const kept = defined({ value, until, isToBeDrained, drain });
  if (clients.target && node) await keepNode(clients.target, node, kept);
  const mustDrain = isToBeDrained && node !== undefined && drain === request.drain;
  return { ...outcomeOf(machine, node), preservation: { value, until, isToBeDrained: mustDrain } };
}

/** Another than that of the request is one that this run of the workflow does not know of. */
function endOfDrain({ request, node }: PreservationDependencies): PreserveRequest['drain'] {
  return request.drain ?? (node && wasDrained(node) ? {} : undefined);
}

/** The expiry goes last: until then the next attempt ends what is left to end. */
async function stop(clients: PreservationDependencies, plan: Stopping): Promise<Machine> {
  const { target, node } = clients;
  const until = expiryOf(clients.machine);
  const left = plan.forgets ? await annotate(clients, forgotten(clients, plan)) : clients.machine;
  if (target && node) await letNodeGo(target, node, plan);
  if (until === undefined) return left;
  await report(clients, stoppedEvent(plan, until));
  return await writeExpiry(clients, undefined);
}

function forgotten(
  { machine }: PreservationDependencies,
  { reason }: Stopping,
): Record<string, string | null> {
  const isOver = reason === 'expired' && phaseOf(machine) === 'Failed';
  return {
    [annotations.preserve]: null,
    [annotations.lastAppliedPreserve]: null,
    ...(isOver && { [annotations.preservationExpired]: timestamp(expiryOf(machine)) }),
  };
}

function withoutWish(node: Node | undefined): Node | undefined {
  if (!node) return undefined;
  const { [annotations.preserve]: _gone, ...notes } = node.metadata.annotations ?? {};
  return { ...node, metadata: { ...node.metadata, annotations: notes } };
}

function outcomeOf(machine: Machine, node: Node | undefined) {
  return defined({
    found: 'machine' as const,
    notes: preservationNotesOf(machine),
    node: node && { uid: node.metadata.uid, preserve: wordOf(node) ?? '' },
  });
}

async function reportFaults(
  clients: PreservationDependencies,
  { faults }: PreservationPlan,
): Promise<void> {
  for (const message of faults) {
    await report(clients, { type: 'Warning', reason: 'InvalidPreserveValue', message, component });
  }
}

async function report(
  { control, request }: PreservationDependencies,
  event: EventText,
): Promise<void> {
  recordEvent(control, machineSubject(request.machine), event);
}

type Preserving = Extract<PreservationPlan, { action: 'preserve' }>;
type Stopping = Extract<PreservationPlan, { action: 'stop' }>;

function preservedEvent({ value, until, from }: Preserving): EventText {
  const who = from === 'node' ? 'Node' : 'Machine';
  const why =
    value === 'auto-preserved'
      ? 'its MachineSet keeps failed machines (autoPreserveFailedMachineMax)'
      : `annotation ${annotations.preserve} of its ${who} is "${value}"`;
  const message = `Preserved until ${timestamp(until)}: ${why}`;
  return { type: 'Normal', reason: 'Preserved', message, component };
}

const formatReasons: Record<Exclude<Stopping['reason'], 'expired'>, string> = {
  recovered: 'the machine is not Failed any more',
  withdrawn: 'its annotation was removed',
};

/** `until`: when it would have ended, milliseconds. */
function stoppedEvent({ reason }: Stopping, until: number): EventText {
  const end = timestamp(until);
  const [name, message] =
    reason === 'expired'
      ? [
          'PreservationExpired',
          `The preservation ended at ${end}: if the machine is Failed, its MachineSet replaces it now`,
        ]
      : [
          'PreservationStopped',
          `The preservation until ${end} ends before, as ${formatReasons[reason]}`,
        ];
  return { type: 'Normal', reason: name, message, component };
}

function undrainedEvent(error: string): EventText {
  const message = `The Node of this preserved machine could not be drained: ${error}`;
  return { type: 'Warning', reason: 'PreservationDrainFailed', message, component };
}
