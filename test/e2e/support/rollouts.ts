/** What scenarios do with the rollout of a MachineDeployment. */
import { annotations } from '../../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import { completionOf, progressOf } from './completion.ts';
import { eventually } from '../../support/eventually.ts';
import { classManifest } from './manifests.ts';
import type { Scenario } from './scenario.ts';

/** Annotation of a set: the revisions that it had before. */
const revisionHistory = 'deployment.kubernetes.io/revision-history';

/** Creates one more class, to roll to. Returns its name. */
export async function createClass(
  { cluster, namespace }: Scenario,
  name: string,
  providerSpec: object = {},
): Promise<string> {
  await cluster.create('machineclasses', classManifest({ namespace, name }, { providerSpec }));
  return name;
}

/** Makes all machines of a deployment old: a rollout begins. */
export async function changeClass(
  { cluster }: Scenario,
  deployment: string,
  name: string,
): Promise<void> {
  const template = { spec: { class: { kind: 'MachineClass', name } } };
  await cluster.patch('machinedeployments', deployment, { spec: { template } });
}

/**
 * Waits until the rollout is complete as MCM v0.62.1 and the cluster autoscaler read it. Returns
 * the deployment.
 */
export async function untilComplete(
  { cluster }: Scenario,
  name: string,
): Promise<MachineDeployment> {
  return await eventually(`the rollout of ${name} is complete`, async () => {
    const deployment = await cluster.deployment(name);
    expect(progressOf(deployment)).toEqual(completionOf(deployment));
    return deployment;
  });
}

/**
 * Waits for the condition `Progressing` (or another one) to have a reason, e.g. `DeploymentPaused`.
 * Returns its message.
 */
export async function untilCondition(
  { cluster }: Scenario,
  name: string,
  { type = 'Progressing', ...expected }: { type?: string; status?: string; reason: string },
): Promise<string> {
  return await eventually(`${name} has ${type} ${expected.reason}`, async () => {
    const { status } = await cluster.deployment(name);
    const found = status?.conditions?.find((condition) => condition.type === type);
    expect(found).toMatchObject(expected);
    return found?.message ?? '';
  });
}

export interface Revision {
  set: string;
  /** Of the annotation; NaN when there is none. */
  revision: number;
  /** Earlier revisions that the same set had, oldest first. */
  history: number[];
  wanted: number;
  replicas: number;
  available: number;
  class: string;
}

/** Sets of a deployment, lowest revision first. */
export async function revisionsOf({ cluster }: Scenario, deployment: string): Promise<Revision[]> {
  const { uid } = (await cluster.deployment(deployment)).metadata;
  const sets = (await cluster.sets()).filter(({ metadata }) =>
    metadata.ownerReferences?.some((owner) => owner.uid === uid),
  );
  return sets.map(revisionOf).toSorted((a, b) => a.revision - b.revision);
}

function revisionOf({ metadata, spec, status = {} }: MachineSet): Revision {
  const { [annotations.revision]: revision, [revisionHistory]: history = '' } =
    metadata.annotations ?? {};
  const { replicas = 0, availableReplicas = 0 } = status;
  return {
    set: metadata.name,
    revision: Number(revision),
    history: numbersIn(history),
    wanted: spec.replicas ?? 0,
    replicas,
    available: availableReplicas,
    class: classOf(spec),
  };
}

const numbersIn = (list: string): number[] => (list === '' ? [] : list.split(',').map(Number));

const classOf = ({ template }: MachineSet['spec']): string => template?.spec?.class?.name ?? '';
