/** What a MachineDeployment does next. Template changes of a deployment that has a set are not planned yet. */

export interface OwnedSet {
  name: string;
  resourceVersion: string;
  replicas: number;
  /** The set's template equals the deployment's, see template-equality.ts. */
  isNew: boolean;
  isDeleting: boolean;
  /** Annotations `deployment.kubernetes.io/desired-replicas` and `max-replicas` say what they should. */
  hasFreshAnnotations: boolean;
}

export interface DeploymentSurvey {
  isDeleting: boolean;
  hasFinalizer: boolean;
  isOrphaning: boolean;
  replicas: number;
  faults: string[];
  /** Name that a set of the present template would get. */
  newSetName: string;
  sets: OwnedSet[];
}

export type DeploymentStep =
  | { action: 'createSet'; name: string; replicas: number; reason: string }
  | { action: 'scaleSet'; name: string; resourceVersion: string; replicas: number; reason: string }
  | { action: 'deleteSets'; names: string[]; reason: string }
  | { action: 'release'; reason: string }
  | { action: 'wait'; reason: string };

export function planMachineDeployment(survey: DeploymentSurvey): DeploymentStep {
  if (survey.isDeleting) return planDeletion(survey);
  if (survey.faults.length > 0) return { action: 'wait', reason: survey.faults.join('; ') };
  const [set] = survey.sets.filter(({ isNew }) => isNew);
  if (set) return planScaling(survey, set);
  if (survey.sets.length > 0) {
    return { action: 'wait', reason: 'the template changed: rollouts are not supported yet' };
  }
  const { newSetName: name, replicas } = survey;
  return { action: 'createSet', name, replicas, reason: 'no MachineSet has this template' };
}

function planScaling({ replicas }: DeploymentSurvey, set: OwnedSet): DeploymentStep {
  const { name, resourceVersion } = set;
  if (set.isDeleting) return { action: 'wait', reason: `MachineSet ${name} is being deleted` };
  if (set.replicas !== replicas || !set.hasFreshAnnotations) {
    const reason = `MachineSet ${name} has ${set.replicas} replicas, ${replicas} wanted`;
    return { action: 'scaleSet', name, resourceVersion, replicas, reason };
  }
  return { action: 'wait', reason: `MachineSet ${name} has ${replicas} replicas` };
}

function planDeletion(survey: DeploymentSurvey): DeploymentStep {
  const { hasFinalizer, isOrphaning, sets } = survey;
  if (!hasFinalizer) return { action: 'wait', reason: 'being deleted, finalizer gone' };
  if (isOrphaning) return { action: 'wait', reason: 'being deleted, its sets are let go' };
  if (sets.length === 0) return { action: 'release', reason: 'no MachineSet is left' };
  const names = sets.filter(({ isDeleting }) => !isDeleting).map(({ name }) => name);
  if (names.length > 0) return { action: 'deleteSets', names, reason: 'being deleted' };
  return { action: 'wait', reason: `${sets.length} MachineSets are going away` };
}
