/** `millwright migrate hand-back`: docs/decisions/0045-migration.md has the steps. */
import type { KubeClient } from '../../kube/client/client.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { lease as leasePath } from '../../kube/client/paths.ts';
import { checkpointAnnotation, ownLeaseOf } from '../../kube/leases/lease-set.ts';
import type { Answer } from '../command-line/answer.ts';
import { watcherHolding } from '../install/lease-holder.ts';
import { forgetConditions } from './conditions.ts';
import {
  endingPod,
  findMcm,
  findOurs,
  scaleBack,
  scaleToZero,
  wantedOf,
  type Deployment,
} from '../install/deployments.ts';
import { readHolders } from './facts.ts';
import { commandLinesOf, translate } from './flags.ts';
import { installFlagsOf } from '../install/flags.ts';
import { endInTemporal, requireTemporal } from './in-temporal.ts';
import { policyAgainst } from './policy.ts';
import { missingRights } from './rights.ts';
import { until, type Steps } from './steps.ts';

/** Throws with what hinders, or with what does not come about. */
export async function handBack(steps: Steps): Promise<Answer> {
  const { scope, options, report } = steps;
  const { kube, namespace } = scope;
  const release = options.releaseNamespace ?? namespace;
  await requireRights(kube, { namespace, release });
  const mcm = await findMcm(kube, namespace, options.mcmDeployments);
  const ours = await findOurs(kube, release, namespace);
  await refuseUnknown(steps, release, ours);
  await refuseWithout(kube, namespace, { mcm, ours, options });
  await requireTemporal(scope, options, installFlagsOf(ours));
  for (const deployment of ours) {
    if (await scaleToZero(kube, deployment))
      report(`Millwright: ${nameOf(deployment)} is scaled to 0`);
  }
  await until(steps, 'Millwright still acts', async () => {
    const now = await findOurs(kube, release, namespace);
    const up = now.find((one) => wantedOf(one) > 0);
    if (up)
      throw new Error(
        `Deployment ${nameOf(up)} was scaled up again by another client: find out which`,
      );
    const pod = await endingPod(kube, now);
    if (pod !== undefined) return pod;
    return await watcherHolding(
      kube,
      namespace,
      ownLeaseOf(namespace, installFlagsOf(ours).leasePlace),
    );
  });
  await leaveLease(kube, namespace, ours);
  const ended = await endInTemporal(scope, options, installFlagsOf(ours));
  report(`Temporal: ${ended.runs} runs are ended, ${ended.schedules} schedules are deleted`);
  await forgetConditions(kube, namespace);
  for (const deployment of mcm) {
    if (await scaleBack(kube, deployment, 1))
      report(`MCM: ${nameOf(deployment)} is scaled up again`);
  }
  await until(steps, `MCM does not manage ${namespace}`, async () => {
    const holders = await readHolders(kube, namespace, ours);
    const free = (['machine-controller-manager', 'machine-controller'] as const).find(
      (name) => holders[name] === undefined,
    );
    return free && `the Lease ${free} is free`;
  });
  const data = { namespace, isHandedBack: true, ...ended };
  return { text: `MCM manages the machines of ${namespace} again.`, data };
}

/**
 * Runs that end now have to be started again by the next take-over: its watcher signals every
 * object, also those that have not changed since. Under MCM no watcher takes the finalizer away.
 */
async function leaveLease(
  kube: KubeClient,
  machines: string,
  ours: readonly Deployment[],
): Promise<void> {
  const { namespace, name } = ownLeaseOf(machines, installFlagsOf(ours).leasePlace);
  const metadata = { annotations: { [checkpointAnnotation]: null }, finalizers: null };
  await ignoreNotFound(kube.patch(leasePath(namespace, name), 'merge', { metadata }));
}

/** All at once: one that is missed in the middle leaves the machines without a controller. */
async function requireRights(
  kube: KubeClient,
  places: { namespace: string; release: string },
): Promise<void> {
  const missing = await missingRights(kube, places, ['machinedeployments']);
  if (missing.length === 0) return;
  throw new Error(`Nothing was done: you may not ${missing.join(', ')}`);
}

/** An install that is not found cannot be scaled to 0; one that was removed holds no Lease. */
async function refuseUnknown(
  { scope: { kube, namespace } }: Steps,
  release: string,
  ours: readonly Deployment[],
): Promise<void> {
  const holding =
    ours.length === 0 ? await watcherHolding(kube, namespace, ownLeaseOf(namespace)) : undefined;
  if (holding === undefined) return;
  throw new Error(
    `Nothing was done: no Deployment of Millwright in ${release} has --namespace=${namespace}, and ${holding}: name where it is installed with --release-namespace; from a fleet, take the namespace out of --namespaces first`,
  );
}

/** MCM's manifest would be applied to the Deployment of our watcher. */
function refuseNameOfOurs(
  missing: readonly string[],
  ours: readonly Deployment[],
  namespace: string,
): void {
  const own = ours.find(
    (one) => one.metadata.namespace === namespace && missing.includes(nameOf(one)),
  );
  if (!own) return;
  throw new Error(
    `Nothing was done: Deployment ${nameOf(own)} is Millwright's own: set the value watcher.deploymentName of the chart back, then apply MCM's Deployment again with replicas: 0`,
  );
}

interface Parties {
  mcm: readonly Deployment[];
  ours: readonly Deployment[];
}

/** Before anything is done. */
async function refuseWithout(
  kube: KubeClient,
  namespace: string,
  { mcm, ours, options }: Parties & Pick<Steps, 'options'>,
): Promise<void> {
  if (mcm.length < options.mcmDeployments.length) {
    const found = mcm.map(nameOf);
    const missing = options.mcmDeployments.filter((name) => !found.includes(name));
    refuseNameOfOurs(missing, ours, namespace);
    throw new Error(
      `Nothing was done: there is no Deployment ${missing.join(', ')} of MCM in ${namespace}: apply it again with replicas: 0, or name it with --mcm-deployment`,
    );
  }
  const withoutLease = mcm.find((one) => {
    const { lines } = commandLinesOf([one]);
    return translate(lines, namespace).isWithoutLease;
  });
  if (withoutLease) {
    throw new Error(
      `Nothing was done: Deployment ${nameOf(withoutLease)} has --leader-elect=false, so nothing keeps both from acting at once; remove the flag`,
    );
  }
  const refusal = await policyAgainst(kube, namespace, mcm);
  if (refusal !== undefined) throw new Error(`Nothing was done: ${refusal}`);
}

const nameOf = ({ metadata }: Deployment): string => metadata.name;
