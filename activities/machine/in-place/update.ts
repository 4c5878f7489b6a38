/** The next thing of an update in place, on the Machine or on its Node. */
import { inPlaceNodeOf } from '../../../workflows/contracts/in-place-node.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type {
  InPlaceOutcome,
  InPlaceRequest,
} from '../../../workflows/contracts/in-place-activities.ts';
import type { InPlacePlan, PhaseChange } from '../../../workflows/plan/machine/in-place.ts';
import { formatPhaseChange, planInPlace } from '../../../workflows/plan/machine/in-place.ts';
import { defined } from '../../../workflows/values/defined.ts';
import { deadlineOf } from '../../../workflows/values/pauses.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { isRejected, isUnreachable } from '../../../kube/client/errors.ts';
import { recordEvent } from '../../../kube/objects/events.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { timeOf } from '../../../kube/objects/time.ts';
import type { ActivityDependencies } from '../../runtime/dependencies.ts';
import type { ReplacementHold } from '../../runtime/memory.ts';
import { random } from '../../system/system.ts';
import { holdOf, newConditionsOf, patchWithConditions } from '../health.ts';
import { healthLimitsOf, inPlaceUpdateSecondsOf } from '../limits.ts';
import { otherOwnerReason } from '../node/claims.ts';
import { ownNode } from '../node/deleted.ts';
import { component, isDeleting, machineSubject, readSameMachine, referenceOf } from '../object.ts';
import { phaseOf } from '../prepared.ts';
import { markFailed } from './failed.ts';
import { removeCondition, setCondition } from './node-condition.ts';
import { statusPatch } from '../status.ts';

/**
 * Never fails because an API server is out of reach or refuses a write: all else that is due for
 * the machine must not wait for this.
 */
export async function updateInPlace(
  dependencies: ActivityDependencies,
  request: InPlaceRequest,
): Promise<InPlaceOutcome> {
  try {
    return await follow(dependencies, request);
  } catch (error) {
    if (isUnreachable(error)) return { found: 'outOfReach', reason: error.message };
    if (!isRejected(error)) throw error;
    const message = `Error updating the machine in place: ${error.message}`;
    recordEvent(dependencies.control, machineSubject(request.machine), { ...refusal, message });
    return { found: 'refused', reason: error.message };
  }
}

const refusal = { type: 'Warning', reason: 'FailedUpdate', component } as const;

/** What a step begins with, or leaves. */
interface UpdatedMachine {
  machine: Machine;
  /** Absent where there is none, or it goes. */
  node: Node | undefined;
  hold?: ReplacementHold;
}

async function follow(
  dependencies: ActivityDependencies,
  request: InPlaceRequest,
): Promise<InPlaceOutcome> {
  const { control, target } = dependencies;
  const machine = await readSameMachine(control, request.machine);
  if (!target || !machine || isDeleting(machine)) return { found: 'nothing' };
  const claim = { machine: request.machine, ...request.instance, nodeUid: request.nodeUid };
  const node = await ownNode({ ...dependencies, target }, claim);
  const isOthers = node && (await otherOwnerReason(control, node, claim)) !== undefined;
  if (isOthers || node?.metadata.deletionTimestamp !== undefined) return { found: 'nothing' };
  const seen = { machine, node };
  const plan = planOf(dependencies, request, seen);
  return outcomeOf(dependencies, request, await act({ ...dependencies, target }, seen, plan));
}

function planOf(
  dependencies: ActivityDependencies,
  { isDrained, now }: InPlaceRequest,
  { machine, node }: UpdatedMachine,
): InPlacePlan {
  const { deadline } = clockOf(dependencies, machine, now);
  const standing = { phase: phaseOf(machine), node: node && (inPlaceNodeOf(node) ?? {}) };
  return planInPlace(defined({ ...standing, isDrained, deadline }), now);
}

/** Counts from the last change of the phase. */
function clockOf(
  { defaults, pauses }: ActivityDependencies,
  machine: Machine,
  now: number,
): { timeoutSeconds?: number; deadline?: number } {
  const timeoutSeconds = timeoutOf(machine, defaults);
  if (timeoutSeconds === undefined) return {};
  const from = timeOf(machine.status?.currentStatus?.lastUpdateTime) ?? now;
  return {
    timeoutSeconds,
    deadline: deadlineOf({ from, timeoutMs: timeoutSeconds * 1_000 }, pauses()),
  };
}

function timeoutOf(
  machine: Machine,
  defaults: ActivityDependencies['defaults'],
): number | undefined {
  const phase = phaseOf(machine);
  if (phase === 'InPlaceUpdating') return inPlaceUpdateSecondsOf(machine, defaults);
  if (phase !== 'InPlaceUpdateFailed') return undefined;
  return healthLimitsOf(machine, defaults).timeoutSeconds;
}

type TargetDependencies = ActivityDependencies & { target: KubeClient };

/** One thing, as it is found anew next. Returns what it left. */
async function act(
  dependencies: TargetDependencies,
  seen: UpdatedMachine,
  plan: InPlacePlan,
): Promise<UpdatedMachine> {
  const { target } = dependencies;
  const { machine, node } = seen;
  switch (plan.action) {
    case 'setCondition':
      return node ? { machine, node: await setCondition(target, node, plan) } : seen;
    case 'removeCondition':
      return node ? { machine, node: await removeCondition(target, node, plan) } : seen;
    case 'setPhase':
      return { machine: await setPhase(dependencies, seen, plan), node };
    case 'fail': {
      const hold = await holdOf(dependencies, machine);
      if (hold) return { machine, node, hold };
      const { timeoutSeconds = 0 } = healthLimitsOf(machine, dependencies.defaults);
      return { machine: await markFailed(dependencies, machine, timeoutSeconds), node };
    }
    case 'drain':
    case 'wait':
      return seen;
  }
}

/** With the conditions of the Node, so that who counts machines sees both at once. */
async function setPhase(
  dependencies: ActivityDependencies,
  { machine, node }: UpdatedMachine,
  change: PhaseChange,
): Promise<Machine> {
  const { control, defaults } = dependencies;
  const { phase, state } = change;
  const description = formatPhaseChange(
    machine.metadata.name,
    change,
    timeoutOf(machine, defaults),
  );
  const operation = { description, state, type: 'InPlaceUpdate' } as const;
  const conditions = newConditionsOf({ current: machine, node });
  const status = {
    ...statusPatch({ phase, operation, errorCode: null }),
    ...defined({ conditions }),
  };
  const written = await patchWithConditions(dependencies, { current: machine }, status);
  recordEvent(control, machineSubject(referenceOf(machine)), {
    type: state === 'Failed' ? 'Warning' : 'Normal',
    reason: phase === 'Running' ? 'InPlaceUpdateEnded' : phase,
    message: description,
    component,
  });
  return written;
}

const holdMs = 60_000;
/** Only a person ends it, and that may take days. */
const wantedHoldMs = 600_000;

function outcomeOf(
  dependencies: ActivityDependencies,
  { now }: InPlaceRequest,
  { machine, node, hold }: UpdatedMachine,
): InPlaceOutcome {
  const waitMs = (hold?.isWanted ? wantedHoldMs : holdMs) * (1 - random() / 4);
  return defined({
    found: 'machine' as const,
    phase: phaseOf(machine),
    node: node && defined({ uid: node.metadata.uid, inPlace: inPlaceNodeOf(node) }),
    deadline: hold ? now + waitMs : clockOf(dependencies, machine, now).deadline,
    hold: hold?.reason,
  });
}
