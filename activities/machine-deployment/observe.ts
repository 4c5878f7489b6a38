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
import {
  currentHold,
  mayTakeMachines,
  refusalOf,
} from '../../workflows/plan/machine-deployment/plan.ts';
import { defined } from '../../workflows/values/defined.ts';
import {
  ownSubject,
  statusSubject,
} from '../../workflows/plan/machine-deployment/rollout/refused-steps.ts';
import {
  availableAt,
  type ObservedDeployment,
} from '../../workflows/plan/machine-deployment/rollout/facts.ts';
import {
  optionsOf,
  type ParsedOptions,
} from '../../workflows/plan/machine-deployment/rollout/options.ts';
import {
  byAge,
  hasMachines,
  newSetAmong,
} from '../../workflows/plan/machine-deployment/rollout/template-set.ts';
import { ensureFinalizer } from '../../kube/objects/finalizers.ts';
import { formatStop } from '../../kube/objects/global-stop.ts';
import { customResource } from '../../kube/client/paths.ts';
import { termsOfRollout, withSurge } from '../disruption/gate.ts';
import { termsOfRepairs } from '../disruption/repairs.ts';
import { updatesInPlace } from '../disruption/going.ts';
import { giveBack } from '../disruption/turns.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { factsOf, faultsOf, type DeploymentView } from './facts.ts';
import { otherThanUsual } from '../../workflows/api/command-source.ts';
import { selectionFor } from './in-place-facts.ts';
import { machinesOf } from './machines.ts';
import { RefusedObjects } from './refused-objects.ts';
import { reportOf, statusPatchOf, type StatusView } from './status.ts';
import type { MachineClass, NodeTemplate } from '../../workflows/api/machine-class.ts';
import { asksFromZero } from '../../workflows/api/scale-from-zero.ts';
import {
  concernsFromZero,
  fromZeroChanges,
} from '../../workflows/plan/machine-deployment/from-zero.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import { claimOf, settleOwners } from '../machine-set/ownership.ts';

export type ObserveDependencies = Pick<
  ActivityDependencies,
  | 'control'
  | 'target'
  | 'recent'
  | 'machines'
  | 'machineSets'
  | 'protectsNodes'
  | 'policies'
  | 'disrupted'
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
  const facts = withFinishedSet(await factsUnderPolicies(dependencies, view), input);
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
  const reported = { ...deployment, status: { ...deployment.status, ...status } };
  if (!facts.gate) await giveBack(dependencies, reported);
  const { uid } = deployment.metadata;
  await refused.report(control, { namespace, name, uid });
  return defined({
    found: true as const,
    uid,
    facts: defined({ ...facts, progress, commandsBy: otherThanUsual(dependencies.commandsBy) }),
    refused: refused.outcome,
  });
}

/** As a plan is made from them; nothing is said of the deployment. */
export async function readFacts(
  dependencies: ObserveDependencies,
  deployment: MachineDeployment,
  input: FactsRequest,
): Promise<ObservedDeployment> {
  const refused = new RefusedObjects(undefined);
  const view = await read({ ...dependencies, refused }, deployment, input);
  return await factsUnderPolicies(dependencies, view);
}

interface FactsRequest extends Pick<ObserveDeploymentInput, 'now' | 'protectedNodes'> {
  /** Name of a Machine that is asked about: of long lists it is not left out. */
  named?: string;
}

/** With what DisruptionPolicies allow, where the deployment rolls and one selects it. */
async function factsUnderPolicies(
  dependencies: ObserveDependencies,
  view: DeploymentView,
): Promise<ObservedDeployment> {
  const facts = factsOf(view);
  if (facts.isDeleting || !mayTakeMachines(facts)) return facts;
  const { gate, surge } = (await termsOfRollout(dependencies, view.deployment)) ?? {};
  if (!gate) return facts;
  if (surge === undefined) return { ...facts, gate };
  return { ...factsOf({ ...view, deployment: withSurge(view.deployment, surge) }), gate };
}

/** Where it matters: earlier histories have no such field. */
function withFinishedSet(
  facts: ObservedDeployment,
  { finished, lastFinished: finishedSet = finished }: ObserveDeploymentInput,
): ObservedDeployment {
  return facts.gate && finishedSet !== undefined ? { ...facts, finishedSet } : facts;
}

function refusedWriteOf(message: string | undefined): Pick<StatusView, 'refusedWrite'> {
  return message === undefined ? {} : { refusedWrite: message };
}

async function read(
  dependencies: ObserveDependencies & { refused: RefusedObjects },
  deployment: MachineDeployment,
  { now, protectedNodes, named }: FactsRequest,
): Promise<DeploymentView> {
  const { target, protectsNodes, refused, pauses } = dependencies;
  const faults = faultsOf(deployment);
  const request = { isFaulty: faults.length > 0, refused };
  const { owned: sets, taken } = await ownedSetsOf(dependencies, deployment, request);
  const options = optionsOf(deployment, Date.parse, now);
  const newSet = newSetAmong(deployment, sets);
  const repairs = await termsOfRepairs(dependencies, deployment, sets);
  // After the sets: a machine that a set has made since counts, one that it is still to make is in
  // its `replicas`.
  const isRead = repairs !== undefined || needsMachines(deployment, { sets, newSet, options });
  const machines = isRead ? await machinesOf(dependencies.machines, deployment, sets) : undefined;
  const seen = { sets, newSet, ...(machines && { machines }) };
  const selection = await selectionFor(target, deployment, seen);
  return {
    deployment,
    faults,
    sets,
    takenNames: taken,
    newSet,
    options,
    ...(machines && { machines }),
    ...(repairs && { repairs }),
    ...(selection && { selection: defined({ ...selection, named }) }),
    now,
    nodes: {
      hasNodes: target !== undefined,
      protects: protectsNodes,
      ...(protectedNodes && { protectedNodes }),
    },
    pauses: pauses(),
  };
}

interface Sets {
  sets: readonly MachineSet[];
  newSet: MachineSet | undefined;
  options: ParsedOptions;
}

/** A large list is read only where the counts of the sets do not say enough. */
function needsMachines(deployment: MachineDeployment, { sets, newSet, options }: Sets): boolean {
  const { metadata } = deployment;
  const { replacementBudget, honorsMinReadySeconds } = options;
  return (
    // That the last one was moved stands on it alone.
    updatesInPlace(deployment) ||
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
    ...(options.honorsMinReadySeconds && {
      available: facts.sets.reduce((sum, set) => sum + availableAt(set), 0),
    }),
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

/**
 * Facts for the cluster autoscaler of the Kubernetes project about a pool without machines:
 * annotations to be written, null for those that are to go.
 */
async function fromZeroNotes(
  recent: ActivityDependencies['recent'],
  deployment: MachineDeployment,
): Promise<Record<string, string | null>> {
  const { metadata, spec } = deployment;
  const notes = metadata.annotations ?? {};
  if (!concernsFromZero(notes) || metadata.deletionTimestamp !== undefined) return {};
  const ofClass = asksFromZero(notes) ? await templateOfClass(recent, deployment) : undefined;
  const nodeTemplate = spec.template.spec?.nodeTemplate;
  return fromZeroChanges(defined({ notes, nodeTemplate, ofClass }));
}

/**
 * The class is read in any case: the version that the workflow has seen is the deployment's, and
 * does not say whether the class has changed since.
 */
async function templateOfClass(
  recent: ActivityDependencies['recent'],
  { metadata, spec }: MachineDeployment,
): Promise<NodeTemplate | undefined> {
  const name = spec.template.spec?.class?.name ?? '';
  if (name === '') return undefined;
  const path = customResource('machineclasses', metadata.namespace ?? '', name);
  return (await recent.read<MachineClass>(path, undefined))?.nodeTemplate;
}

interface OwnedSets {
  /** Oldest first. */
  owned: MachineSet[];
  /** Names of all sets of the namespace. */
  taken: Set<string>;
}

interface ClaimRequest {
  /** The spec is wrong: nothing changes hands. */
  isFaulty: boolean;
  /** Refused writes to single sets; these are left as they are. */
  refused: RefusedObjects;
}

/** Orphans that the deployment selects are adopted on the way. */
async function ownedSetsOf(
  { control, machineSets }: Pick<ActivityDependencies, 'control' | 'machineSets'>,
  deployment: MachineDeployment,
  request: ClaimRequest,
): Promise<OwnedSets> {
  const items = await machineSets.list(deployment.metadata.namespace ?? '');
  const owned: MachineSet[] = [];
  const claimant = await claimantOf(control, deployment, items);
  for (const set of items) {
    const claimed = await claim(control, claimant, { set, ...request });
    if (claimed) owned.push(claimed);
  }
  const taken = new Set(items.map(({ metadata }) => metadata.name));
  return { owned: owned.toSorted(byAge), taken };
}

/**
 * The deployment as it is after the sets were listed, where one of them could be adopted: a set
 * that was let go by `kubectl delete --cascade=orphan` between the two reads must not be taken
 * back, and then deleted.
 */
async function claimantOf(
  control: KubeClient,
  deployment: MachineDeployment,
  sets: readonly MachineSet[],
): Promise<MachineDeployment> {
  const { namespace, name, uid } = deployment.metadata;
  const mayClaim = sets.some((set) => claimOf(deployment, set, false).action === 'adopt');
  if (!mayClaim) return deployment;
  const path = customResource('machinedeployments', namespace ?? '', name);
  const present = await ignoreNotFound(control.get<MachineDeployment>(path));
  if (present?.metadata.uid === uid) return present;
  const { deletionTimestamp = 'gone' } = deployment.metadata;
  return { ...deployment, metadata: { ...deployment.metadata, deletionTimestamp } };
}

/**
 * The set, if it is the deployment's now; also where it is left alone because a client deletes it.
 */
async function claim(
  control: KubeClient,
  deployment: MachineDeployment,
  { set, isFaulty, refused }: ClaimRequest & { set: MachineSet },
): Promise<MachineSet | undefined> {
  const { action } = claimOf(deployment, set, isFaulty);
  if (action === 'keep' || action === 'leave') {
    return controllerOf(set)?.uid === deployment.metadata.uid ? set : undefined;
  }
  const { namespace = '', name } = set.metadata;
  const path = customResource('machinesets', namespace, name);
  const settled = await refused.attempt({ kind: 'MachineSet', name }, () =>
    settleOwners(control, { owner: deployment, isFaulty, path }, set),
  );
  return settled && controllerOf(settled)?.uid === deployment.metadata.uid ? settled : undefined;
}
