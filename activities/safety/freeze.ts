/** Freezes and thaws MachineSets and MachineDeployments, in the way that MCM v0.62.1 shows it. */
import type { FreezeOutcome } from '../../workflows/contracts/safety-activities.ts';
import { annotations, apiVersion, eventComponents, labels } from '../../workflows/api/constants.ts';
import { unsettledConditions, withoutUnsettled } from '../../workflows/api/kstatus.ts';
import type {
  MachineDeploymentCondition,
  MachineDeploymentStatus,
} from '../../workflows/api/machine-deployment.ts';
import type { MachineSetCondition, MachineSetStatus } from '../../workflows/api/machine-set.ts';
import { unsettledDeployment } from '../../workflows/plan/machine-deployment/unsettled.ts';
import { unsettledSet } from '../../workflows/plan/machine-set/unsettled.ts';
import type { Freeze } from '../../workflows/plan/safety/overshoot.ts';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { retryOnConflict } from '../../kube/client/retry-on-conflict.ts';
import { customResource } from '../../kube/client/paths.ts';
import { timestamp } from '../../kube/objects/time.ts';
import { frozen } from './overshoot.ts';

/** Both kinds keep their conditions in fields of different names. */
interface Freezable extends KubeObject {
  spec?: { replicas?: number };
  status?: MachineSetStatus & MachineDeploymentStatus;
}

const kinds = {
  machineSet: { resource: 'machinesets', kind: 'MachineSet', field: 'machineSetCondition' },
  machineDeployment: {
    resource: 'machinedeployments',
    kind: 'MachineDeployment',
    field: 'conditions',
  },
} as const;

export async function applyFreezes(
  control: KubeClient,
  { namespace, freezes }: { namespace: string; freezes: readonly Freeze[] },
): Promise<FreezeOutcome[]> {
  const outcomes: FreezeOutcome[] = [];
  for (const freeze of freezes) {
    try {
      await apply(control, namespace, freeze);
      outcomes.push(freeze);
    } catch (error) {
      outcomes.push({ ...freeze, error: error instanceof Error ? error.message : String(error) });
    }
  }
  return outcomes;
}

/** The label first: it is what keeps machines from being made. */
async function apply(control: KubeClient, namespace: string, freeze: Freeze): Promise<void> {
  const path = customResource(kinds[freeze.kind].resource, namespace, freeze.name);
  const isFreeze = freeze.action === 'freeze';
  const metadata = {
    labels: { [labels.freeze]: isFreeze ? 'True' : null },
    ...(!isFreeze && { annotations: { [annotations.unfreeze]: null } }),
  };
  const object = await ignoreNotFound(control.patch<Freezable>(path, 'merge', { metadata }));
  if (!object) return;
  await writeCondition(control, path, { freeze, object });
  if (freeze.kind === 'machineSet') await reportFreeze(control, namespace, { freeze, object });
}

interface Frozen {
  freeze: Freeze;
  object: Freezable;
}

/** The owner writes the same status: the second of two writers reads again. */
async function writeCondition(
  control: KubeClient,
  path: string,
  { freeze, object }: Frozen,
): Promise<void> {
  await retryOnConflict(async (isAgain) => {
    const current = isAgain ? await ignoreNotFound(control.get<Freezable>(path)) : object;
    if (!current) return;
    const { uid, resourceVersion } = current.metadata;
    const { field } = kinds[freeze.kind];
    const conditions = orNull(conditionsAfter(current, freeze));
    const status = {
      ...(freeze.kind === 'machineSet' && { conditions: unsettledOfSet(current, conditions) }),
      [field]: conditions,
    };
    const body = { metadata: { uid, resourceVersion }, status };
    await control.patch(`${path}/status`, 'merge', body);
  });
}

/** A merge patch removes a list with null. */
function orNull<T>(list: T[]): T[] | null {
  return list.length === 0 ? null : list;
}

function conditionsAfter(current: Freezable, freeze: Freeze): MachineDeploymentCondition[] {
  const { kind } = freeze;
  const others = withoutUnsettled(current.status?.[kinds[kind].field]).filter(
    ({ type }) => type !== frozen,
  );
  const own = freeze.action === 'freeze' ? [...others, conditionOf(freeze)] : others;
  return kind === 'machineSet' ? own : [...own, ...unsettledOfDeployment(current, own)];
}

function conditionOf({ kind, reason, why: message }: Freeze): MachineDeploymentCondition {
  const now = timestamp();
  const condition = {
    type: frozen,
    status: 'True',
    reason,
    message,
    lastTransitionTime: now,
  } as const;
  return kind === 'machineSet' ? condition : { ...condition, lastUpdateTime: now };
}

/** Said in the same write, so that the owner of the status need not write once more. */
function unsettledOfDeployment(
  current: Freezable,
  conditions: MachineDeploymentCondition[],
): MachineDeploymentCondition[] {
  const standing = standingOf(current);
  const unsettled = unsettledDeployment({
    ...standing,
    status: { ...current.status, conditions },
  });
  return unsettledConditions(unsettled, current.status?.conditions, timestamp()).map((one) => ({
    ...one,
    lastUpdateTime: one.lastTransitionTime,
  }));
}

function unsettledOfSet(
  current: Freezable,
  conditions: MachineSetCondition[] | null,
): MachineSetCondition[] | null {
  const unsettled = unsettledSet({
    ...standingOf(current),
    isFrozen: current.metadata.labels?.[labels.freeze] === 'True',
    status: { ...current.status, machineSetCondition: conditions ?? [] },
  });
  return orNull(unsettledConditions(unsettled, current.status?.conditions, timestamp()));
}

function standingOf({ metadata, spec }: Freezable) {
  return {
    isDeleting: metadata.deletionTimestamp !== undefined,
    wanted: Math.max(spec?.replicas ?? 0, 0),
    generation: metadata.generation ?? 0,
  };
}

/** MCM's words, of the controller that says them there. */
async function reportFreeze(
  control: KubeClient,
  namespace: string,
  { freeze: { kind, name, action }, object }: Frozen,
): Promise<void> {
  const isFreeze = action === 'freeze';
  const subject = { apiVersion, kind: kinds[kind].kind, namespace, name, uid: object.metadata.uid };
  recordEvent(control, subject, {
    type: 'Normal',
    reason: isFreeze ? 'FrozeMachineSet' : 'UnfrozeMachineSet',
    message: isFreeze
      ? `SafetyController: Froze MachineSet ${name} due to replica overshooting`
      : `SafetyController: Unfroze MachineSet ${name}`,
    component: eventComponents.machineDeployment,
  });
}
