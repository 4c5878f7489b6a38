/** Every object has its workflow, and every workflow its object. */
import type {
  WorkflowCheck,
  RepairedWorkflow,
  SafetyActivities,
} from '../../workflows/contracts/safety-activities.ts';
import { apiVersion, labels } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { defined } from '../../workflows/values/defined.ts';
import type {
  WorkflowKind,
  WorkflowComparison,
  WorkflowRef,
} from '../../workflows/plan/safety/lost-workflows.ts';
import { compare, workflowKinds } from '../../workflows/plan/safety/lost-workflows.ts';
import type { Living } from '../runtime/workflow-registry.ts';
import { orOutOfReach } from '../machine/out-of-reach.ts';
import { inParallel } from '../runtime/parallel.ts';
import type { KubeClient, KubeList, KubeObject } from '../../kube/client/client.ts';
import type { EventSubject } from '../../kube/objects/event.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { checkpointAnnotation, ownLeaseOf } from '../../kube/leases/lease-set.ts';
import type { Lease } from '../../kube/leases/observed-lease.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import type { MachineKind } from '../../kube/client/paths.ts';
import { customResource, lease as leasePath, node as nodePath } from '../../kube/client/paths.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';

type LostWorkflowDependencies = Pick<
  ActivityDependencies,
  'control' | 'target' | 'workflows' | 'leasePlace' | 'activeWatcher'
>;

/** Limit for each kind of difference. A run takes several rounds. */
const differencesMax = 500;
const width = 10;

const resources: Record<WorkflowKind, { path: MachineKind; kind: string }> = {
  machine: { path: 'machines', kind: 'Machine' },
  machineSet: { path: 'machinesets', kind: 'MachineSet' },
  machineDeployment: { path: 'machinedeployments', kind: 'MachineDeployment' },
};

/** Workflows first: an object is there before its workflow is. */
export async function compareWorkflows(
  place: LostWorkflowDependencies,
  { namespace }: WorkflowCheck,
): Promise<WorkflowComparison> {
  const { control, workflows } = place;
  const { running, replaced } = await workflows.running();
  const lists = await Promise.all(workflowKinds.map((kind) => listOf(control, kind, namespace)));
  const objects = lists.flatMap(({ kind, items }) =>
    items.map(({ metadata: { name } }): WorkflowRef => ({ kind, name })),
  );
  const areAwaited = await areObjectsAwaited(place, namespace);
  // Their install still runs, and would start them again.
  const ended = place.activeWatcher.isElsewhere?.() ? 0 : replaced;
  return compare({ objects, running, replaced: ended, areAwaited, limit: differencesMax });
}

/**
 * Without a checkpoint the next watcher signals every object. Until it leads, as while an MCM acts
 * beside us for days, a workflow could only ask every second or two whether it may begin.
 */
async function areObjectsAwaited(
  place: LostWorkflowDependencies,
  namespace: string,
): Promise<boolean> {
  if (place.activeWatcher.isActive()) return false;
  // A watcher of ours would find nothing on it that it could go on from.
  if (place.activeWatcher.isElsewhere?.()) return true;
  const { annotations } = (await leaseOf(place, namespace))?.metadata ?? {};
  return annotations?.[checkpointAnnotation] === undefined;
}

type ObjectsOfKind = KubeList<KubeObject> & { kind: WorkflowKind };

async function listOf(
  control: KubeClient,
  kind: WorkflowKind,
  namespace: string,
): Promise<ObjectsOfKind> {
  const path = customResource(resources[kind].path, namespace);
  return { ...(await control.list<KubeObject>(path, { as: 'PartialObjectMetadata' })), kind };
}

type HealInput = Parameters<SafetyActivities['repairWorkflows']>[0];

export async function repairWorkflows(
  place: LostWorkflowDependencies,
  input: HealInput,
): Promise<RepairedWorkflow[]> {
  const { namespace, unattended, leftOver, replaced = 0 } = input;
  // First: what a workflow of our own is started for is of the same name.
  if (replaced > 0) await place.workflows.endReplaced();
  const epoch = await epochOf(place, namespace);
  const done: RepairedWorkflow[] = [];
  await inParallel(unattended, width, async (ref) => {
    done.push(...(await attempt(ref, () => restartWorkflow(place, { ref, namespace, epoch }))));
  });
  const dead = await versionsOf(place.control, { namespace, leftOver });
  await inParallel(dead, width, async ({ resourceVersion, ...ref }) => {
    done.push(
      ...(await attempt(ref, () => signalGone(place, { ref, namespace, epoch, resourceVersion }))),
    );
  });
  return done;
}

/** Snapshots of the watcher that leads are not older than ours. */
async function epochOf(place: LostWorkflowDependencies, namespace: string): Promise<number> {
  return (await leaseOf(place, namespace))?.spec?.leaseTransitions ?? 0;
}

async function leaseOf(
  { control, leasePlace }: LostWorkflowDependencies,
  namespace: string,
): Promise<Lease | undefined> {
  const own = ownLeaseOf(namespace, leasePlace);
  return await ignoreNotFound(control.get<Lease>(leasePath(own.namespace, own.name)));
}

/**
 * Heals one workflow; its failure does not keep the others waiting. Returns nothing where there was
 * nothing to heal.
 */
async function attempt(
  ref: WorkflowRef,
  heal: () => Promise<string | undefined>,
): Promise<RepairedWorkflow[]> {
  try {
    const why = await heal();
    return why === undefined ? [] : [{ ...ref, isHealed: true, why }];
  } catch (error) {
    return [
      { ...ref, isHealed: false, why: error instanceof Error ? error.message : String(error) },
    ];
  }
}

interface Case {
  ref: WorkflowRef;
  namespace: string;
  epoch: number;
}

/**
 * The object is read just before, so that nothing dead is revived; a run for one that goes
 * meanwhile ends by itself.
 */
async function restartWorkflow(
  place: LostWorkflowDependencies,
  { ref, namespace, epoch }: Case,
): Promise<string | undefined> {
  const end = await place.workflows.closeReason(ref);
  if (end === undefined) return undefined;
  const living = await readLiving(place, ref, namespace);
  if (!living) return undefined;
  await place.workflows.signalObserved(living, epoch);
  const why = `its workflow ${end}: started again`;
  // Without a watcher that leads nothing is written to Kubernetes; the report of the check says it
  // in any case.
  if (!place.activeWatcher.isActive()) return why;
  recordEvent(place.control, subjectOf(living, namespace), {
    type: 'Warning',
    reason: 'WorkflowRestored',
    message: why,
    component: 'millwright',
  });
  return why;
}

async function readLiving(
  { control, target }: LostWorkflowDependencies,
  { kind, name }: WorkflowRef,
  namespace: string,
): Promise<Living | undefined> {
  const path = customResource(resources[kind].path, namespace, name);
  switch (kind) {
    case 'machine': {
      const object = await ignoreNotFound(control.get<Machine>(path));
      if (!object) return undefined;
      const [set, node] = await Promise.all([
        setOf(control, object),
        // Its workflow reads the Node itself, and waits for a cluster that does not answer.
        orOutOfReach(() => nodeOf(target, object)),
      ]);
      const seen = 'outOfReach' in node ? { isNodeUnknown: true as const } : { node: node.answer };
      return defined({ kind, object, set, ...seen });
    }
    case 'machineSet': {
      const object = await ignoreNotFound(control.get<MachineSet>(path));
      return object && { kind, object };
    }
    case 'machineDeployment': {
      const object = await ignoreNotFound(control.get<MachineDeployment>(path));
      return object && { kind, object };
    }
  }
}

/** Names the MachineDeployment under which the search finds the machine. */
async function setOf(control: KubeClient, { metadata }: Machine): Promise<MachineSet | undefined> {
  const owner = controllerOf({ metadata });
  if (owner?.kind !== 'MachineSet') return undefined;
  const path = customResource('machinesets', metadata.namespace ?? '', owner.name);
  return await ignoreNotFound(control.get<MachineSet>(path));
}

async function nodeOf(
  target: KubeClient | undefined,
  { metadata }: Machine,
): Promise<KubeObject | undefined> {
  const name = metadata.labels?.[labels.node];
  if (!target || name === undefined || name === '') return undefined;
  return await ignoreNotFound(target.get<KubeObject>(nodePath(name)));
}

function subjectOf({ kind, object: { metadata } }: Living, namespace: string): EventSubject {
  const { name, uid } = metadata;
  return { apiVersion, kind: resources[kind].kind, namespace, name, uid };
}

/** With the version of a list that does not have them; without those that it has. */
async function versionsOf(
  control: KubeClient,
  { namespace, leftOver }: Pick<HealInput, 'namespace' | 'leftOver'>,
): Promise<(WorkflowRef & { resourceVersion: string })[]> {
  const kinds = workflowKinds.filter((kind) => leftOver.some((ref) => ref.kind === kind));
  const lists = await Promise.all(kinds.map((kind) => listOf(control, kind, namespace)));
  return lists.flatMap(({ kind, items, metadata: { resourceVersion } }) => {
    const present = new Set(items.map(({ metadata }) => metadata.name));
    return leftOver
      .filter((ref) => ref.kind === kind && !present.has(ref.name))
      .map((ref) => ({ ...ref, resourceVersion }));
  });
}

async function signalGone(
  { workflows }: LostWorkflowDependencies,
  { ref, epoch, resourceVersion }: Case & { resourceVersion: string },
): Promise<string | undefined> {
  if ((await workflows.closeReason(ref)) !== undefined) return undefined;
  const needless = await workflows.signalGone({ ...ref, resourceVersion }, epoch);
  return needless === undefined ? 'its object is gone: signalled' : undefined;
}
