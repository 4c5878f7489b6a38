/**
 * The steps of a machine whose instance is there: its Node joins, and follows Machine and class.
 */
import { isCancellation } from '@temporalio/workflow';
import { hasJoined } from '../api/phases.ts';
import type { RecordedCreateOutcome } from '../contracts/driver-activities.ts';
import type { TimeoutOutcome } from '../contracts/machine-activities.ts';
import type { JoinRequest, NodeSyncRequest } from '../contracts/node-activities.ts';
import type { NodeSnapshot } from '../contracts/snapshots.ts';
import {
  localFirst,
  localFirstOnce,
  localFirstUnlessStopped,
  messageOf,
} from '../runtime/activity-options.ts';
import { longestMessageBytes } from '../contracts/driver-answers.ts';
import { clip } from '../values/clip.ts';
import { defined } from '../values/defined.ts';
import { consoleReadOf, forgetConsoleOutput, shortenConsoleOutput } from './console-output.ts';
import { noteHealth } from './health.ts';
import { writeLastOperation } from './last-operation.ts';
import {
  digestOf,
  joinedUidOf,
  noteApplied,
  noteEquipped,
  noteJoined,
  noteLossHandled,
  noteNotJoined,
  noteReadNode,
  observeNode,
  ownNodeOf,
  putBehindBack,
  takeApplied,
  takeBehind,
} from './node.ts';
import {
  forgetBootstrapToken,
  markGone,
  noteDoubt,
  noteJoinOutage,
  noteJoinOutageEnd,
  noteReach,
} from './object.ts';
import { setPhase } from './phase.ts';
import { takeOver, takeRead } from './restore.ts';
import type { MachineState } from './state.ts';
import { instanceOf } from './state.ts';
import type { StepContext } from './step-context.ts';

async function recordJoined(context: StepContext): Promise<void> {
  const { state } = context;
  const node = state.node.seen;
  if (!node) return;
  const seen = digestOf(node);
  const request = joinRequestOf(context, node);
  const summary = `Node ${node.name} is Ready`;
  // A Node that takes no write keeps its Machine from nothing else.
  const outcome = await localFirstOnce((steps) => steps.recordJoined(request), summary).catch(
    (error: unknown) => sayNotJoined(context, node.name, error),
  );
  if (!outcome.hasJoined) {
    noteNotJoined(state, node, outcome.isContested ?? false);
    return;
  }
  noteApplied(state, request.nodeTemplate, outcome);
  noteRunning(state, node.uid, seen);
}

/** The worker that made the instance has recorded its join as well. */
export function noteJoinedWithCreate(
  state: MachineState,
  { node, ...outcome }: NonNullable<RecordedCreateOutcome['joined']>,
): void {
  observeNode(state, node);
  noteApplied(state, state.object.prepared?.nodeTemplate, outcome);
  noteRunning(state, node.uid, digestOf(node));
}

/** `seen`: digest of the Node that it joined by. */
function noteRunning(state: MachineState, uid: string, seen: string): void {
  forgetBootstrapToken(state);
  noteHealth(state, { seen, checkedAt: Date.now(), pausedMs: 0 });
  noteJoined(state, uid);
  forgetConsoleOutput(state);
  setPhase(state, 'Running');
}

/** A Machine that stays Pending beside a Ready Node says why. Rejects with the error. */
async function sayNotJoined(
  context: StepContext,
  nodeName: string,
  error: unknown,
): Promise<never> {
  if (isCancellation(error)) throw error;
  const description = `Node ${nodeName} is Ready, and its join could not be written: ${clip(messageOf(error), longestMessageBytes)}`;
  await writeLastOperation({ machine: context.machine(), operation: 'Create', description });
  throw error;
}

function joinRequestOf(context: StepContext, { name, uid }: NodeSnapshot): JoinRequest {
  const { object, node } = context.state;
  const { className = '', bootstrapTokenId, nodeTemplate, nodeConditions } = object.prepared ?? {};
  const isEquipped = node.equipped?.uid === uid || undefined;
  const applied = takeApplied(context.state, nodeTemplate);
  const providerID = instanceOf(context.state)?.providerID;
  const known = { providerID, className, bootstrapTokenId, nodeTemplate, nodeConditions };
  const machine = context.machine();
  return defined({ machine, node: { name, uid }, ...known, applied, isEquipped });
}

async function syncNode(context: StepContext): Promise<void> {
  const { state } = context;
  const { object, phase } = state;
  const { prepared } = object;
  const instance = instanceOf(state);
  const behind = takeBehind(state);
  if (!instance || !prepared) return;
  const { providerID, nodeName } = instance;
  const joining = phase === 'Running' ? undefined : joiningOf(state);
  const request = defined({
    machine: context.machine(),
    instance: { providerID, nodeName },
    nodeUid: joinedUidOf(state),
    className: prepared.className,
    classAtLeast: behind?.class?.resourceVersion,
    nodeTemplate: prepared.nodeTemplate,
    applied: takeApplied(state, prepared.nodeTemplate),
    joining,
  });
  const summary = `bring Node ${nodeName} in step`;
  try {
    const outcome = await localFirstOnce((steps) => steps.syncNode(request), summary);
    noteApplied(state, request.nodeTemplate, outcome);
  } catch (error) {
    putBehindBack(state, behind);
    throw error;
  }
}

/** The Node as it is now: any other state of it is a reason to read again. */
function joiningOf(state: MachineState): NodeSyncRequest['joining'] {
  const node = ownNodeOf(state);
  if (!node) return undefined;
  const { nodeConditions } = state.object.prepared ?? {};
  return defined({ uid: node.uid, isFresh: noteEquipped(state, node), nodeConditions });
}

async function deleteWithNode(context: StepContext): Promise<void> {
  const { state } = context;
  const node = state.node.seen;
  const instance = instanceOf(state);
  if (!instance || !node) return;
  const { providerID, nodeName } = instance;
  const request = { machine: context.machine(), instance: { providerID, nodeName } };
  const summary = `Node ${nodeName} was deleted`;
  const outcome = await localFirstUnlessStopped((steps) => steps.deleteWithNode(request), summary);
  // The result is signalled.
  if (outcome.found === 'outOfReach') noteReach(state, outcome.reason);
  else noteLossHandled(state, node);
}

async function recordTimeout(context: StepContext): Promise<void> {
  const { state } = context;
  const isAfterOutage = state.object.joinBy?.isOutage || undefined;
  const consoleOutput = consoleReadOf(state);
  const known = { instance: instanceOf(state), isAfterOutage, consoleOutput, now: Date.now() };
  const request = defined({ machine: context.machine(), ...known });
  const outcome = await localFirst((steps) => steps.recordTimeout(request), 'creation timeout');
  if (outcome.found === 'tooLate') shortenConsoleOutput(state);
  else forgetConsoleOutput(state);
  noteTimeout(context, outcome);
}

function noteTimeout({ state, input }: StepContext, outcome: TimeoutOutcome): void {
  switch (outcome.found) {
    case 'tooLate':
      setPhase(state, 'Failed');
      break;
    case 'node':
      noteReadNode(state, outcome.node);
      break;
    case 'moreTime':
      // The run that recorded the join did not hear that its write went through.
      if (hasJoined(outcome.machine.phase)) noteDoubt(state);
      takeRead(state, outcome.machine, input.cluster);
      takeOver(state, outcome.machine);
      if (state.object.joinBy?.isOutage) noteJoinOutageEnd(state, outcome.machine);
      break;
    case 'outOfReach':
      noteJoinOutage(state, Date.now());
      break;
    case 'nothing':
      markGone(state);
  }
}

export const joinSteps = { recordJoined, syncNode, deleteWithNode, recordTimeout };
