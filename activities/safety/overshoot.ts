/** Counts the machines of each MachineSet: one LIST of each kind, of Machines only the metadata. */
import type { OvershootCheck } from '../../workflows/contracts/safety-activities.ts';
import { annotations, labels } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import { machineDeploymentFaults } from '../../workflows/api/validation.ts';
import type { Pause } from '../../workflows/values/pauses.ts';
import { pausesOfDrain } from '../../workflows/values/pauses.ts';
import { defined } from '../../workflows/values/defined.ts';
import { anySurgeOf } from '../../workflows/plan/machine-deployment/fenceposts.ts';
import type {
  DeploymentFacts,
  OvershootFinding,
  SetFacts,
} from '../../workflows/plan/safety/overshoot.ts';
import { limitOf } from '../../workflows/plan/safety/overshoot.ts';
import type { KubeObject } from '../../kube/client/client.ts';
import { byController, controllerOf } from '../../kube/objects/owners.ts';
import { customResource } from '../../kube/client/paths.ts';
import { isSpecObserved } from '../../kube/objects/generation.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { nowMs } from '../system/system.ts';

export const frozen = 'Frozen';

export async function checkOvershoot(
  {
    control,
    stop,
    activeWatcher,
    pauses,
  }: Pick<ActivityDependencies, 'control' | 'stop' | 'activeWatcher' | 'pauses'>,
  check: OvershootCheck,
): Promise<OvershootFinding> {
  const { namespace } = check;
  // First: what is asked for must not be older than what there is, or a scale-up would be taken for
  // an overshoot.
  const machines = await control.list<KubeObject>(customResource('machines', namespace), {
    as: 'PartialObjectMetadata',
  });
  const sets = await control.list<MachineSet>(customResource('machinesets', namespace));
  const deployments = await control.list<MachineDeployment>(
    customResource('machinedeployments', namespace),
  );
  const found = checkOwner(
    { deployments: deployments.items, sets: sets.items },
    machines.items,
    check,
  );
  const canShrink = !stop.current() && activeWatcher.isActive() && !hadPause(pauses(), nowMs());
  return canShrink ? found : { ...found, sets: found.sets.filter(isMarked) };
}

/** Deletions that stood still need some time until they show. */
const recentMs = 60_000;

function hadPause(pauses: readonly Pause[], now: number): boolean {
  return pausesOfDrain(pauses).some(({ until }) => until > now - recentMs);
}

interface Owners {
  deployments: readonly MachineDeployment[];
  sets: readonly MachineSet[];
}

/** A set that cannot be checked does not hide the others. */
function checkOwner(
  { deployments, sets }: Owners,
  machines: readonly KubeObject[],
  check: OvershootCheck,
): OvershootFinding {
  const byUid = new Map(deployments.map((deployment) => [deployment.metadata.uid, deployment]));
  // Machines that go away do not count: a set that is scaled down is not frozen because of them.
  const members = byController(
    machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
  );
  const checked: SetFacts[] = [];
  const unchecked: OvershootFinding['unchecked'] = [];
  for (const set of sets.filter(({ metadata }) => metadata.deletionTimestamp === undefined)) {
    const deployment = byUid.get(controllerOf(set)?.uid ?? '');
    const facts = setFacts(
      { set, deployment, members: members.get(set.metadata.uid) ?? [] },
      check,
    );
    const faults = deployment ? machineDeploymentFaults(deployment) : [];
    if (faults.length === 0) checked.push(facts);
    else {
      const why = `MachineDeployment ${deployment?.metadata.name}: ${faults.join('; ')}`;
      unchecked.push({ name: facts.name, why });
    }
  }
  // One at fault stays as it is: its sets, by which it is evaluated, are not among the checked.
  const evaluable = deployments.filter((one) => machineDeploymentFaults(one).length === 0);
  const marked = evaluable.map(deploymentFacts);
  const ofMarked = new Set(marked.filter(isMarked).map(({ name }) => name));
  const listed = checked.filter((facts) => isListed(facts, ofMarked));
  const owners = new Set(listed.map(({ deployment }) => deployment));
  return {
    total: sets.length,
    sets: listed,
    deployments: marked.filter((facts) => isMarked(facts) || owners.has(facts.name)),
    unchecked,
  };
}

interface SetCase {
  set: MachineSet;
  deployment: MachineDeployment | undefined;
  members: readonly KubeObject[];
}

function setFacts({ set, deployment, members }: SetCase, check: OvershootCheck): SetFacts {
  const wanted = {
    replicas: set.spec.replicas ?? 0,
    ...(deployment && {
      deployment: { replicas: deployment.spec.replicas ?? 0, surge: anySurgeOf(deployment.spec) },
    }),
  };
  return defined({
    ...marksOf(set, set.status?.machineSetCondition),
    deployment: deployment?.metadata.name,
    ...(!isSpecObserved(set) && { isBehind: true }),
    count: members.filter((machine) => isOfTemplate(set, machine)).length,
    limit: limitOf(wanted, check),
  });
}

function isOfTemplate({ spec }: MachineSet, { metadata }: KubeObject): boolean {
  const wanted = spec.template?.metadata?.labels ?? {};
  return Object.entries(wanted).every(([key, value]) => metadata.labels?.[key] === value);
}

function deploymentFacts(deployment: MachineDeployment): DeploymentFacts {
  return marksOf(deployment, deployment.status?.conditions);
}

function marksOf(
  { metadata }: KubeObject,
  conditions: readonly { type: string; status: string }[] = [],
): DeploymentFacts {
  return {
    name: metadata.name,
    isFrozen: metadata.labels?.[labels.freeze] === 'True',
    hasCondition: conditions.some(({ type, status }) => type === frozen && status === 'True'),
    wantsUnfreeze: annotations.unfreeze in (metadata.annotations ?? {}),
  };
}

function isMarked({ isFrozen, hasCondition, wantsUnfreeze }: DeploymentFacts): boolean {
  return isFrozen || hasCondition || wantsUnfreeze;
}

function isListed(facts: SetFacts, markedDeployments: ReadonlySet<string>): boolean {
  const isOfMarked = markedDeployments.has(facts.deployment ?? '');
  return isMarked(facts) || facts.count >= facts.limit || isOfMarked;
}
