/** The steps from a new Machine to the ids of its instance on the object. */
import { patched } from '@temporalio/workflow';
import { localFirst } from '../runtime/activity-options.ts';
import { isSameObject } from '../runtime/object-lifecycle.ts';
import { endCloudFailure } from './credentials.ts';
import {
  noteCreated,
  noteCreateFailed,
  noteCreateSent,
  noteCreateUnsent,
  noteRecorded,
  noteUnusableDeleted,
} from './creation.ts';
import { joinDeadlineOf } from './deadlines.ts';
import { createOutcome, deleteOutcome, launchOutcome } from './driver-calls.ts';
import { noteFailure, noteFailureReported } from './failure.ts';
import { noteJoinedWithCreate } from './join.ts';
import {
  mustCheckName,
  mustClearName,
  noteNameChecked,
  noteReadNode,
  observeNode,
  ownNodeOf,
} from './node.ts';
import {
  markFresh,
  markGone,
  markStale,
  mustReadNode,
  noteJoinOutageEnd,
  noteLaunch,
  noteNodeRead,
  noteReach,
} from './object.ts';
import { setPhase } from './phase.ts';
import { takeRead } from './restore.ts';
import type { MachineObjectState, MachineState } from './state.ts';
import { instanceOf, isRecorded } from './state.ts';
import { defined } from '../values/defined.ts';
import { mayHaveStaleNode } from '../plan/machine/stale-node.ts';
import type { RecordedCreateOutcome } from '../contracts/driver-activities.ts';
import type { CreatedInstance, Pending } from '../contracts/driver-contract.ts';
import type { LaunchOutcome } from '../contracts/launch-activities.ts';
import type { ReadAndClaimOutcome } from '../contracts/machine-activities.ts';
import type { StepContext } from './step-context.ts';

/**
 * Reads the Machine and its class, sets the finalizer, and makes a bootstrap token where the user
 * data wants one.
 */
async function readAndClaim({ state, input }: StepContext): Promise<void> {
  const { object } = state;
  const { ref, cluster } = input;
  markFresh(state);
  const isRetry = state.failure !== undefined;
  const readsNode = !object.isNodeRead;
  const request = defined({ machine: ref, cluster, isRetry, readsNode, signalled: unread(object) });
  const outcome = await localFirst(
    (steps) => steps.readAndClaimMachine(request),
    `read ${ref.name}`,
  );
  noteClaim(state, input.cluster, outcome);
}

function noteClaim(state: MachineState, cluster: string, outcome: ReadAndClaimOutcome): void {
  const { object } = state;
  if (!outcome.found || !isSameObject(object, outcome.machine.uid)) {
    markGone(state);
    return;
  }
  const { machine: read, node, failure, outOfReach } = outcome;
  takeRead(state, read, cluster);
  noteReach(state, outOfReach);
  if (outOfReach !== undefined) return;
  noteNodeRead(state);
  if (node) noteReadNode(state, node);
  // Without an instance no Node can join, so what was away is back.
  if (!instanceOf(state) && object.joinBy?.isOutage) noteJoinOutageEnd(state, read);
  // A machine that has its instance needs its class again only when it goes.
  if (!failure || isRecorded(state)) return;
  noteFailure(state, failure, 'Create');
  markStale(state);
}

/** Version of a Machine that was never read: signals from here on are a reason to read it again. */
function unread({ observed, prepared }: MachineObjectState) {
  if (!observed || prepared) return undefined;
  const { uid, resourceVersion } = observed;
  return { uid, resourceVersion };
}

/** The single steps follow for the part that the worker did not do. */
async function launch(context: StepContext): Promise<void> {
  const { state } = context;
  const { launch: given, cluster } = context.input;
  const { observed } = state.object;
  if (!given || !observed) return;
  const { provider, deadline } = given;
  noteLaunch(state);
  noteCreateSent(state);
  const { resourceVersion } = observed;
  const request = { machine: context.machine(), cluster, provider, resourceVersion };
  const answer = await launchOutcome(request, deadline);
  // Before the read, which restores what was made of what the Machine says.
  if (isUnknown(answer)) noteCreateFailed(state, { code: 'Internal', isSettled: false });
  else noteCreateUnsent(state);
  if (typeof answer === 'string') {
    markStale(state);
    return;
  }
  const { read, created } = answer;
  noteClaim(state, cluster, read);
  if (!created || created.outcome === 'unknown' || !state.object.prepared) return;
  noteCreateSent(state);
  if (created.outcome === 'pending') {
    await context.operationCall('Create').operation.handOver(created);
  } else {
    await noteCreateOutcome(context, created);
  }
}

function isUnknown(answer: LaunchOutcome | 'unsent' | 'unknown'): boolean {
  return typeof answer === 'string' ? answer === 'unknown' : answer.created?.outcome === 'unknown';
}

async function create(context: StepContext): Promise<void> {
  const { state } = context;
  noteCreateSent(state);
  // A machine that is Failed already goes on trying.
  const deadline = () => (state.phase === 'Failed' ? undefined : joinDeadlineOf(state));
  const call = context.operationCall('Create');
  const { nodeConditions } = state.object.prepared ?? {};
  const request = defined({ ...call.request, nodeConditions });
  await noteCreateOutcome(context, await createOutcome({ ...call, request, deadline }));
}

async function noteCreateOutcome(
  context: StepContext,
  outcome: Exclude<RecordedCreateOutcome, Pending>,
): Promise<void> {
  const { state, input } = context;
  if (outcome.outcome === 'created') {
    noteCreated(state, outcome.instance);
    await endCloudFailure(state, input.ref.namespace);
    if (outcome.isRecorded) noteRecordedLaunch(context, outcome);
    else if (isNameInDoubt(context, outcome.instance)) mustCheckName(state);
    return;
  }
  noteCreateFailed(state, outcome.failure);
  if (!outcome.failure.wasCancelled) noteFailure(state, outcome.failure, 'Create');
  // The next attempt reads the object again: class, Secrets and limits may have been fixed.
  markStale(state);
}

function isNameInDoubt({ state, input, usesTarget }: StepContext, made: CreatedInstance): boolean {
  const machineName = input.ref.name;
  const { generation } = state.creation;
  if (!mayHaveStaleNode(made, { machineName, usesTarget, generation })) return false;
  return made.nodeName !== machineName || patched('node-of-an-earlier-attempt');
}

async function findStaleNode(context: StepContext): Promise<void> {
  const { state, input } = context;
  const instance = instanceOf(state);
  if (!instance) return;
  const { nodeName, providerID } = instance;
  const request = { instance: { nodeName, providerID } };
  const summary = `search for ${nodeName}`;
  const { isStale } = await localFirst((steps) => steps.findStaleNode(request), summary);
  if (isStale && nodeName === input.ref.name) mustClearName(state);
  else if (isStale) await deleteUnusableInstance(context, instance);
  else noteNameChecked(state);
}

/**
 * As MCM v0.62.1: the new instance goes again, and the machine is Failed. An instance that cannot
 * go now stays known, for the teardown.
 */
async function deleteUnusableInstance(
  context: StepContext,
  { nodeName }: CreatedInstance,
): Promise<void> {
  const { state } = context;
  const outcome = await deleteOutcome(context.operationCall('Delete'));
  if (outcome.outcome === 'failed' && outcome.failure.wasCancelled) return;
  noteNameChecked(state);
  if (outcome.outcome === 'deleted') noteUnusableDeleted(state);
  setPhase(state, 'Failed');
  const message = `Node ${nodeName} is there already, and of another instance: delete it`;
  const failure = { code: 'FailedPrecondition', message, isSettled: true } as const;
  noteFailure(state, { ...failure, during: 'nodeLookup' }, 'Create');
}

async function recordCreated(context: StepContext): Promise<void> {
  const { state, usesTarget } = context;
  const instance = instanceOf(state);
  if (!instance) return;
  const { mustClearName: clearsName } = state.node;
  const request = defined({ machine: context.machine(), instance, usesTarget, clearsName });
  await localFirst((steps) => steps.recordCreated(request), `record ${instance.providerID}`);
  noteNameChecked(state);
  noteRecordedIds(context, instance);
}

/** How far the worker came that made the instance. */
function noteRecordedLaunch(
  context: StepContext,
  { instance, joined, node }: Extract<RecordedCreateOutcome, { outcome: 'created' }>,
): void {
  const { state } = context;
  if (joined) {
    noteRecorded(state);
    noteJoinedWithCreate(state, joined);
  } else {
    noteRecordedIds(context, instance);
  }
  if (node) observeNode(state, node);
}

function noteRecordedIds({ state, usesTarget }: StepContext, { isFound }: CreatedInstance): void {
  noteRecorded(state);
  setPhase(state, usesTarget ? 'Pending' : 'Available');
  // The Node of an instance that was there before may have joined before anything heard of it.
  if (usesTarget && isFound && !ownNodeOf(state)) mustReadNode(state);
}

/** Says on the object what failed, of a create or a delete. */
async function recordFailure(context: StepContext): Promise<void> {
  const { state } = context;
  const { failure, phase, creation } = state;
  if (!failure) return;
  const { detail, operation } = failure;
  const known = { failure: detail, operation, phase, createGeneration: creation.generation };
  const request = { machine: context.machine(), ...known };
  await localFirst((steps) => steps.recordFailure(request), `${detail.code}: report`);
  noteFailureReported(state);
}

export const launchSteps = {
  readAndClaim,
  launch,
  create,
  findStaleNode,
  recordCreated,
  recordFailure,
};
