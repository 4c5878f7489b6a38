/**
 * A machine whose instance is gone, and which has no Node to check: it is still to join, or there
 * is no target cluster.
 */
import type {
  LossActivities,
  LossOutcome,
} from '../../workflows/contracts/missing-instance-activities.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { holdOf } from './health.ts';
import { formatLoss } from './missing-instance-text.ts';
import { component, machineSubject, patchCheckedStatus, readMachine } from './object.ts';
import { healthLimitsOf } from './limits.ts';
import { phaseOf } from './prepared.ts';
import { orOutOfReach } from './out-of-reach.ts';
import { statusPatch } from './status.ts';
import { joinedNode } from './record.ts';

type MissingInstanceInput = Parameters<LossActivities['recordMissingInstance']>[0];

/** Reads Machine and Node once more. */
export async function recordMissingInstance(
  dependencies: ActivityDependencies,
  input: MissingInstanceInput,
): Promise<LossOutcome> {
  const { machine, instance } = input;
  const current = await readMachine(dependencies.control, machine);
  const { uid, deletionTimestamp } = current?.metadata ?? {};
  if (!current || uid !== machine.uid || deletionTimestamp !== undefined) {
    return { found: 'nothing' };
  }
  const joined = await orOutOfReach(() => joinedNode(dependencies, current, instance));
  if ('outOfReach' in joined) return { found: 'held', reason: joined.outOfReach };
  if (joined.answer) return { found: 'nothing' };
  const reason = await obstacleTo(dependencies, current);
  await report(dependencies, input, reason);
  if (reason !== undefined) return { found: 'held', reason };
  await fail(dependencies, input, current);
  return { found: 'lost' };
}

/**
 * Why it may not be replaced now. A machine that is yet to join counts as being replaced already.
 */
async function obstacleTo(
  dependencies: ActivityDependencies,
  current: Machine,
): Promise<string | undefined> {
  if (healthLimitsOf(current, dependencies.defaults).timeoutSeconds === undefined) {
    return 'its spec.disableHealthTimeout keeps it from being replaced';
  }
  if (phaseOf(current) === 'Pending' && !dependencies.stop.current()) return undefined;
  return (await holdOf(dependencies, current))?.reason;
}

async function report(
  { control }: ActivityDependencies,
  { machine, instance }: MissingInstanceInput,
  reason: string | undefined,
) {
  const words = `Machine ${machine.name}: ${formatLoss(instance)}`;
  recordEvent(control, machineSubject(machine), {
    type: 'Warning',
    reason: 'InstanceGone',
    message: reason === undefined ? words : `${words}; ${reason}`,
    component,
  });
}

async function fail(
  { control }: ActivityDependencies,
  { machine, instance }: MissingInstanceInput,
  current: Machine,
) {
  const description = `Machine ${machine.name} has lost its instance: ${formatLoss(instance)}. Updating machine phase to Failed.`;
  const type = current.status?.lastOperation?.type ?? 'HealthCheck';
  const status = statusPatch({
    phase: 'Failed',
    operation: { description, state: 'Failed', type },
    errorCode: null,
  });
  await patchCheckedStatus(control, current, status);
}
