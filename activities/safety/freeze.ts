/** Freezes and thaws MachineSets and MachineDeployments, in the way that MCM v0.62.1 shows it. */
import type { FreezeOutcome } from '../../workflows/contracts/safety-activities.ts';
import { annotations, apiVersion, labels } from '../../workflows/api/constants.ts';
import type { Freeze } from '../../workflows/plan/safety/overshoot.ts';
import type { KubeClient, KubeObject } from '../kube/client/client.ts';
import { isConflict } from '../kube/client/errors.ts';
import { recordEvent } from '../kube/objects/events.ts';
import { ignoreNotFound } from '../kube/client/ignore.ts';
import { customResource } from '../kube/client/paths.ts';
import { timestamp } from '../kube/objects/time.ts';
import { frozen } from './overshoot.ts';

interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastUpdateTime?: string;
}

/** Both kinds keep their conditions in fields of different names. */
interface Freezable extends KubeObject {
  status?: { conditions?: Condition[]; machineSetCondition?: Condition[] };
}

const kinds = {
  machineSet: { resource: 'machinesets', kind: 'MachineSet', field: 'machineSetCondition' },
  machineDeployment: {
    resource: 'machinedeployments',
    kind: 'MachineDeployment',
    field: 'conditions',
  },
} as const;

/** The owner writes the same status: the second of two writers reads again. */
const attempts = 5;

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

async function writeCondition(
  control: KubeClient,
  path: string,
  { freeze, object }: Frozen,
): Promise<void> {
  let current: Freezable | undefined = object;
  for (let attempt = 1; current; attempt += 1) {
    const { uid, resourceVersion } = current.metadata;
    const { field } = kinds[freeze.kind];
    const conditions = conditionsAfter(current.status?.[field] ?? [], freeze);
    const body = { metadata: { uid, resourceVersion }, status: { [field]: conditions } };
    try {
      await control.patch(`${path}/status`, 'merge', body);
      return;
    } catch (error) {
      if (!isConflict(error) || attempt === attempts) throw error;
    }
    current = await ignoreNotFound(control.get<Freezable>(path));
  }
}

function conditionsAfter(present: readonly Condition[], freeze: Freeze): Condition[] | null {
  const others = present.filter(({ type }) => type !== frozen);
  if (freeze.action === 'unfreeze') return others.length === 0 ? null : others;
  const now = timestamp();
  const { kind, reason, why: message } = freeze;
  const condition = { type: frozen, status: 'True', reason, message, lastTransitionTime: now };
  const isSet = kind === 'machineSet';
  return [...others, isSet ? condition : { ...condition, lastUpdateTime: now }];
}

/** MCM's words. */
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
    component: 'machineset-controller',
  });
}
