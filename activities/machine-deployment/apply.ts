/** Carries out what a MachineDeployment planned. */
import type { Attempt } from './attempt.ts';
import type {
  ApplyInput,
  ApplyOutcome,
} from '../../workflows/contracts/machine-deployment-activities.ts';
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { clip } from '../../workflows/values/clip.ts';
import { annotations, labels, options } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import { defined } from '../../workflows/values/defined.ts';
import type { WrittenSet } from '../../workflows/plan/machine-deployment/rollout/after-steps.ts';
import { isSameTemplate } from '../../workflows/plan/machine-deployment/template-equality.ts';
import { hasMachines } from '../../workflows/plan/machine-deployment/rollout/template-set.ts';
import type { DeploymentStep } from '../../workflows/plan/machine-deployment/rollout/steps.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isAlreadyExists, isRejected } from '../../kube/client/errors.ts';
import { isOrphaning, release } from '../../kube/objects/finalizers.ts';
import { ignoreNotFound, ignoreConflict } from '../../kube/client/ignore.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { GateDependencies } from '../disruption/dependencies.ts';
import { granted, noteTaken } from './granted.ts';
import { readLiving, reportOn } from './lifecycle.ts';
import { undoUnlessOwn } from '../machine-set/ownership.ts';
import { RefusedObjects } from './refused-objects.ts';
import { newSetNamed, newSetOf, scaledAtNote, scalingAnnotations, syncPatchOf } from './new-set.ts';
import { refuseRollback, rollBack } from './rollback.ts';
import { ownSubject } from '../../workflows/plan/machine-deployment/rollout/refused-steps.ts';
import type { Marks } from '../../workflows/plan/machine-deployment/rollout/facts.ts';
import { inParallel } from '../runtime/parallel.ts';
import { parallelCalls } from '../machine-set/parallel-calls.ts';
import { applyWave } from './waves.ts';

/** It stands in a condition and in the state of a workflow. */
const longestErrorBytes = 1_000;

type Step<Action extends DeploymentStep['action']> = Extract<DeploymentStep, { action: Action }>;

/**
 * Runs the steps in their order. A write holds only for the set that was planned for: where that
 * changed meanwhile, the step is left out, and the sets that are returned do not have it.
 */
export async function applyDeploymentSteps(
  dependencies: GateDependencies,
  { deployment, steps: planned, scaling }: ApplyInput,
): Promise<ApplyOutcome> {
  const { control } = dependencies;
  const changes = new SetChanges(control, deployment);
  const refused = new RefusedObjects();
  const attempt = { control, deployment, refused };
  let error: string | undefined;
  let isUndone: true | undefined;
  let isCut: true | undefined;
  try {
    const { steps, ...cut } = await granted(dependencies, deployment, planned);
    ({ isCut } = cut);
    for (const step of steps) {
      if (step.action === 'release') isUndone = await letGo(control, deployment);
      else if (isOwnStep(step)) await applyToDeployment(control, deployment, step);
      else if (step.action === 'createSet') await createSet(control, deployment, step);
      else if (step.action === 'syncSet') await changes.sync(step);
      else if (step.action === 'markMachines') await markMachines(attempt, step);
      else if (step.action === 'noteWave' || step.action === 'passWave')
        await applyWave(attempt, step);
      else if (step.action === 'deleteSets') await deleteSets(attempt, step);
      else await changeSet(attempt, changes, { step, scaling });
    }
    noteTaken(dependencies, steps, changes.written);
  } catch (failure) {
    error = refusalOf(failure);
  }
  await refused.report(control, deployment);
  const written = isCut ? [] : changes.written;
  return defined({ written, error, refused: refused.outcome, isUndone, isCut });
}

class ChangedByPolicy extends Error {}

/** To send the same again at once is of no use: the workflow says it on the object, and waits. */
function refusalOf(failure: unknown): string {
  if (!isRejected(failure) && !(failure instanceof ChangedByPolicy)) throw failure;
  return clip(failure.message, longestErrorBytes);
}

/** True when it is not being deleted any more. */
async function letGo(control: KubeClient, deployment: ObjectReference): Promise<true | undefined> {
  return (await release(control, 'machinedeployments', deployment)) ? undefined : true;
}

interface SetChange {
  step: Step<'scaleSet' | 'closeSet' | 'grantReplacements'>;
  scaling: ApplyInput['scaling'];
}

async function changeSet(
  { control, deployment, refused }: Attempt,
  changes: SetChanges,
  { step, scaling }: SetChange,
): Promise<void> {
  const name = step.action === 'grantReplacements' ? step.set : step.name;
  await refused.attempt({ kind: 'MachineSet', name }, async () => {
    if (step.action === 'scaleSet') await changes.scale(step, scaling);
    else if (step.action === 'closeSet') await changes.close(step);
    else await grantReplacements(control, deployment, step);
  });
}

type OwnStep = Step<'rollBack' | 'refuseRollback' | 'giveUp' | 'forgetGivenUp'>;
function isOwnStep(step: DeploymentStep): step is OwnStep {
  return ['rollBack', 'refuseRollback', 'giveUp', 'forgetGivenUp'].includes(step.action);
}

async function applyToDeployment(
  control: KubeClient,
  deployment: ObjectReference,
  step: OwnStep,
): Promise<void> {
  switch (step.action) {
    case 'rollBack':
      return await rollBack(control, deployment, step);
    case 'refuseRollback':
      return await refuseRollback(control, deployment, step);
    case 'giveUp':
      return await giveUp(control, deployment, step);
    case 'forgetGivenUp':
      return await annotate(control, deployment, { [options.rolledBackFrom]: null });
  }
}

/**
 * Writes to sets one after the other: the second to the same set holds for what the first one left.
 */
class SetChanges {
  readonly #control: KubeClient;
  readonly #deployment: ObjectReference;
  readonly #versions = new Map<string, string>();

  constructor(control: KubeClient, deployment: ObjectReference) {
    this.#control = control;
    this.#deployment = deployment;
  }

  get written(): WrittenSet[] {
    return [...this.#versions].map(([name, resourceVersion]) => ({ name, resourceVersion }));
  }

  async scale(step: Step<'scaleSet'>, { desired, max }: ApplyInput['scaling']): Promise<void> {
    const { name, from, replicas, scaledAt } = step;
    const notes = { ...scalingAnnotations(desired, max), ...scaledAtNote(scaledAt) };
    const isDone = await this.#patch(step, {
      metadata: { annotations: notes },
      spec: { replicas },
    });
    if (!isDone || from === replicas) return;
    const direction = replicas > from ? 'up' : 'down';
    const message = `Scaled ${direction} machine set ${name} to ${replicas}`;
    await reportOn(this.#control, this.#deployment, {
      type: 'Normal',
      reason: 'ScalingMachineSet',
      message,
    });
  }

  async close(step: Step<'closeSet'>): Promise<void> {
    const value = step.isClosed ? 'true' : null;
    await this.#patch(step, { metadata: { labels: { [labels.scaleUpDisabled]: value } } });
  }

  async sync({ name, resourceVersion, revision }: Step<'syncSet'>): Promise<void> {
    const path = customResource('machinesets', this.#deployment.namespace, name);
    const deployment = await readLiving(this.#control, this.#deployment);
    const found = await ignoreNotFound(this.#control.get<MachineSet>(path));
    if (!deployment || found?.metadata.resourceVersion !== resourceVersion) return;
    const patch = syncPatchOf(deployment, found, revision);
    const set =
      patch && (await ignoreConflict(this.#control.patch<MachineSet>(path, 'merge', patch)));
    if (set) this.#versions.set(name, set.metadata.resourceVersion);
  }

  /** False when the set changed meanwhile: the next read plans anew. */
  async #patch(
    { name, resourceVersion: planned }: { name: string; resourceVersion: string },
    patch: { metadata: object; spec?: object },
  ): Promise<boolean> {
    const resourceVersion = this.#versions.get(name) ?? planned;
    const metadata = { ...patch.metadata, resourceVersion };
    const path = customResource('machinesets', this.#deployment.namespace, name);
    const body = { ...patch, metadata };
    const set = await ignoreConflict(this.#control.patch<MachineSet>(path, 'merge', body));
    if (set) this.#versions.set(name, set.metadata.resourceVersion);
    return set !== undefined;
  }
}

async function createSet(
  control: KubeClient,
  ref: ObjectReference,
  { name, replicas, revision }: Step<'createSet'>,
): Promise<void> {
  const deployment = await readLiving(control, ref);
  if (!deployment || deployment.metadata.deletionTimestamp !== undefined) return;
  // Another name means another template than the one that was planned for.
  const newSet = newSetNamed(deployment, name);
  const { metadata, spec } = deployment;
  if (!newSet || spec.paused || metadata.deletionTimestamp !== undefined) return;
  try {
    await makeSet(control, deployment, newSetOf(deployment, { ...newSet, replicas, revision }));
  } catch (error) {
    // Ours, by an attempt whose answer was lost: the next read finds it.
    if (isAlreadyExists(error)) return;
    throw error;
  }
  if (replicas === 0) return;
  const message = `Scaled up machine set ${name} to ${replicas}`;
  await reportOn(control, ref, { type: 'Normal', reason: 'ScalingMachineSet', message });
}

/** A set with another template than was asked for would have the next one made, for ever. */
async function makeSet(
  control: KubeClient,
  deployment: MachineDeployment,
  set: object,
): Promise<void> {
  const path = customResource('machinesets', deployment.metadata.namespace ?? '');
  const child = await control.create<MachineSet>(path, set);
  const isOfTemplate = isSameTemplate(deployment.spec.template, child.spec.template ?? {});
  const changed = isOfTemplate ? {} : { changed: 'template' };
  const error = await undoUnlessOwn(control, deployment, { path, child, ...changed });
  if (error !== undefined) throw new ChangedByPolicy(error);
}

async function grantReplacements(
  control: KubeClient,
  { namespace }: ObjectReference,
  { set, machines }: Step<'grantReplacements'>,
): Promise<void> {
  const notes = { [annotations.replacements]: machines ? machines.join(',') : null };
  const path = customResource('machinesets', namespace, set);
  await ignoreNotFound(control.patch(path, 'merge', { metadata: { annotations: notes } }));
}

async function giveUp(
  control: KubeClient,
  deployment: ObjectReference,
  { set, reason }: Step<'giveUp'>,
): Promise<void> {
  await annotate(control, deployment, { [options.rolledBackFrom]: set });
  const text = { type: 'Warning', reason: 'AutomaticRollback', message: reason } as const;
  await reportOn(control, deployment, text);
}

async function annotate(
  control: KubeClient,
  { namespace, name, uid }: ObjectReference,
  notes: Record<string, string | null>,
): Promise<void> {
  const path = customResource('machinedeployments', namespace, name);
  const patch = { metadata: { uid, annotations: notes } };
  await ignoreConflict(control.patch(path, 'merge', patch));
}

/**
 * Each set is read first, as the steps may have waited: of a deployment that stays only sets
 * without machines go.
 */
async function deleteSets(
  { control, deployment: ref, refused }: Attempt,
  { names }: Step<'deleteSets'>,
): Promise<void> {
  const deployment = await readLiving(control, ref);
  if (!deployment || isOrphaning(deployment)) return;
  for (const name of names) {
    await refused.attempt({ kind: 'MachineSet', name }, () => deleteSet(control, deployment, name));
  }
}

/** The status of a set that works on its size changes several times within a second. */
const mostTries = 4;

async function deleteSet(
  control: KubeClient,
  { metadata }: MachineDeployment,
  name: string,
): Promise<void> {
  const path = customResource('machinesets', metadata.namespace ?? '', name);
  for (let tries = 0; tries < mostTries; tries += 1) {
    const set = await ignoreNotFound(control.get<MachineSet>(path));
    if (!set || controllerOf(set)?.uid !== metadata.uid) return;
    if (hasMachines(set) && metadata.deletionTimestamp === undefined) return;
    const { uid, resourceVersion } = set.metadata;
    const preconditions = { uid, resourceVersion };
    if (await ignoreConflict(control.delete(path, { preconditions }))) return;
  }
}

/**
 * Marks machines that the cluster autoscaler chose. The list is shortened only if the autoscaler
 * has not written another one meanwhile.
 */
async function markMachines(
  { control, deployment, refused }: Attempt,
  { preferred, machines, was, list }: Marks,
): Promise<void> {
  const { namespace } = deployment;
  const notes = new Map<string, Record<string, string>>();
  for (const name of preferred) notes.set(name, { [annotations.priority]: '1' });
  for (const { name, time } of machines) {
    notes.set(name, { ...notes.get(name), [annotations.markedForDeletionTime]: time });
  }
  await inParallel([...notes], parallelCalls, async ([name, added]) => {
    const path = customResource('machines', namespace, name);
    const patch = { metadata: { annotations: added } };
    const kind = 'Machine';
    await refused.attempt({ kind, name }, () =>
      ignoreNotFound(control.patch(path, 'merge', patch)),
    );
  });
  if (list === was) return;
  await refused.attemptOwn(ownSubject, () => shorten(control, deployment, { was, list }));
}

async function shorten(
  control: KubeClient,
  { namespace, name }: ObjectReference,
  { was, list }: Pick<Marks, 'was' | 'list'>,
): Promise<void> {
  const path = customResource('machinedeployments', namespace, name);
  const { metadata } = await control.get<MachineDeployment>(path);
  if (metadata.annotations?.[annotations.triggerDeletion] !== was) return;
  const { uid, resourceVersion } = metadata;
  const changed = { [annotations.triggerDeletion]: list };
  const patch = { metadata: { uid, resourceVersion, annotations: changed } };
  await ignoreConflict(control.patch(path, 'merge', patch));
}
