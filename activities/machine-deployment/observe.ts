/**
 * Reads a MachineDeployment, its sets and machines, and reports what it sees in the deployment's
 * status.
 */
import type {
  ObserveDeploymentInput,
  ObservedDeploymentOutcome,
} from '../../workflows/contracts/machine-deployment-activities.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import { refusalOf, currentHold } from '../../workflows/plan/machine-deployment/plan.ts';
import { defined } from '../../workflows/values/defined.ts';
import {
  ownSubject,
  statusSubject,
} from '../../workflows/plan/machine-deployment/rollout/refused-steps.ts';
import type {
  ObservedDeployment,
  SetFacts,
} from '../../workflows/plan/machine-deployment/rollout/facts.ts';
import { availableAt } from '../../workflows/plan/machine-deployment/rollout/facts.ts';
import type { ParsedOptions } from '../../workflows/plan/machine-deployment/rollout/options.ts';
import { ensureFinalizer } from '../../kube/objects/finalizers.ts';
import { formatStop } from '../../kube/objects/global-stop.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import type { DeploymentView } from './facts.ts';
import { fromZeroNotes } from './from-zero.ts';
import { factsOf, faultsOf, newSetAmong } from './facts.ts';
import { otherThanUsual } from '../../workflows/api/command-source.ts';
import { optionsOf } from '../../workflows/plan/machine-deployment/rollout/options.ts';
import { hasMachines, machinesOf } from './machines.ts';
import { ownedSetsOf } from './owned-sets.ts';
import { RefusedObjects } from './refused-objects.ts';
import type { StatusView } from './status.ts';
import { reportOf, statusPatchOf } from './status.ts';

export type ObserveDependencies = Pick<
  ActivityDependencies,
  | 'control'
  | 'target'
  | 'recent'
  | 'machines'
  | 'machineSets'
  | 'protectsNodes'
  | 'stop'
  | 'pauses'
  | 'commandsBy'
>;

export async function observeMachineDeployment(
  dependencies: ObserveDependencies,
  input: ObserveDeploymentInput,
): Promise<ObservedDeploymentOutcome> {
  const { control, recent } = dependencies;
  const { namespace, name } = input.deployment;
  const path = customResource('machinedeployments', namespace, name);
  const found = await recent.read<MachineDeployment>(path, input.atLeast);
  if (!found) return { found: false };
  const deployment = await ensureFinalizer(control, 'machinedeployments', found);
  const refused = new RefusedObjects(input.passOver);
  const view = await read({ ...dependencies, refused }, deployment, input);
  const facts = factsOf(view);
  const { status, progress } = reportOf({
    ...statusViewOf(view, facts, input),
    ...refusedWriteOf(refused.outcome?.message ?? input.refusal),
    ...stopOf(dependencies, namespace),
    pauses: dependencies.pauses(),
  });
  const patch = statusPatchOf(deployment, status);
  await refused.attemptOwn(statusSubject, () =>
    writeStatus(dependencies, path, { deployment, patch }),
  );
  await refused.attemptOwn(ownSubject, () => writeNotes(dependencies, path, view));
  const { uid } = deployment.metadata;
  await refused.report(control, { namespace, name, uid });
  return defined({
    found: true as const,
    uid,
    facts: defined({ ...facts, progress, commandsBy: otherThanUsual(dependencies.commandsBy) }),
    refused: refused.outcome,
  });
}

function refusedWriteOf(message: string | undefined): Pick<StatusView, 'refusedWrite'> {
  return message === undefined ? {} : { refusedWrite: message };
}

async function read(
  dependencies: ObserveDependencies & { refused: RefusedObjects },
  deployment: MachineDeployment,
  { now, protectedNodes }: ObserveDeploymentInput,
): Promise<DeploymentView> {
  const { target, protectsNodes, refused } = dependencies;
  const faults = faultsOf(deployment);
  const request = { isFaulty: faults.length > 0, refused };
  const { owned: sets, taken } = await ownedSetsOf(dependencies, deployment, request);
  const options = optionsOf(deployment, Date.parse);
  const newSet = newSetAmong(deployment, sets, options);
  // After the sets: a machine that a set has made since counts, one that it is still to make is in
  // its `replicas`.
  const machines = needsMachines(deployment, { sets, newSet, options })
    ? await machinesOf(dependencies.machines, deployment, sets)
    : undefined;
  return {
    deployment,
    faults,
    sets,
    takenNames: taken,
    newSet,
    options,
    ...(machines && { machines }),
    now,
    nodes: {
      hasNodes: target !== undefined,
      protects: protectsNodes,
      ...(protectedNodes && { protectedNodes }),
    },
  };
}

interface Sets {
  sets: readonly MachineSet[];
  newSet: MachineSet | undefined;
  options: ParsedOptions;
}

/** A large list is read only where the counts of the sets do not say enough. */
function needsMachines({ metadata }: MachineDeployment, { sets, newSet, options }: Sets): boolean {
  const { replacementBudget, honorsMinReadySeconds } = options;
  return (
    replacementBudget !== undefined ||
    honorsMinReadySeconds ||
    annotations.triggerDeletion in (metadata.annotations ?? {}) ||
    sets.some(({ metadata: { annotations: notes = {} } }) => annotations.replacements in notes) ||
    sets.some((set) => set !== newSet && hasMachines(set))
  );
}

function statusViewOf(
  view: DeploymentView,
  facts: ObservedDeployment,
  { error, finished }: ObserveDeploymentInput,
): Omit<StatusView, 'pauses'> {
  const { deployment, sets, newSet, options, now } = view;
  const refusal = refusalOf(facts) ?? createErrorOf(error);
  const hold = currentHold(facts, now);
  return {
    deployment,
    sets,
    newSet,
    now,
    ...(options.honorsMinReadySeconds && { available: availableIn(facts.sets) }),
    ...(refusal && { refusal }),
    ...(hold && { holdReason: hold.reason }),
    ...(finished !== undefined && { finished }),
  };
}

function stopOf({ stop }: ObserveDependencies, namespace: string): Pick<StatusView, 'stopped'> {
  const current = stop.current();
  return current ? { stopped: formatStop(namespace, current) } : {};
}

function createErrorOf(error: string | undefined) {
  if (error === undefined) return undefined;
  return { reason: 'MachineSetCreateError', message: error };
}

function availableIn(sets: readonly SetFacts[]): number {
  return sets.reduce((sum, set) => sum + availableAt(set), 0);
}

async function writeStatus(
  { control, recent }: ObserveDependencies,
  path: string,
  { deployment, patch }: { deployment: MachineDeployment; patch: object | undefined },
): Promise<void> {
  if (!patch) return;
  const { uid, resourceVersion } = deployment.metadata;
  // A read that was held up must not overwrite what a later one reported: it reads again.
  const metadata = { uid, resourceVersion };
  const body = { metadata, status: patch };
  await recent.write(path, () => control.patch<MachineDeployment>(`${path}/status`, 'merge', body));
}

/** The deployment says which revision it is at, and when asked what its Nodes will be like. */
async function writeNotes(
  dependencies: ObserveDependencies,
  path: string,
  view: DeploymentView,
): Promise<void> {
  const { control, recent } = dependencies;
  const { deployment } = view;
  const notes = { ...revisionNoteOf(view), ...(await fromZeroNotes(recent, deployment)) };
  if (Object.keys(notes).length === 0) return;
  const metadata = { uid: deployment.metadata.uid, annotations: notes };
  await recent.write(path, () => control.patch<MachineDeployment>(path, 'merge', { metadata }));
}

function revisionNoteOf({ deployment, newSet }: DeploymentView): Record<string, string> {
  const revision = newSet?.metadata.annotations?.[annotations.revision];
  const present = deployment.metadata.annotations?.[annotations.revision];
  if (revision === undefined || revision === present) return {};
  return { [annotations.revision]: revision };
}
