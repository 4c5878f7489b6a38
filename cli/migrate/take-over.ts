/** `millwright migrate take-over`: docs/decisions/0045-migration.md has the steps. */
import type { Answer } from '../command-line/answer.ts';
import { check } from './check.ts';
import {
  endingPod,
  findMcm,
  findOurs,
  hasReplicasBefore,
  isWatcher,
  isWorker,
  scaleBack,
  scaleToZero,
  wantedOf,
  type Deployment,
} from '../install/deployments.ts';
import { readHolders, type Holders } from './facts.ts';
import { refuseHindered } from './result.ts';
import { until, type Steps } from './steps.ts';

/** Throws with what hinders, or with what does not come about. */
export async function takeOver(steps: Steps): Promise<Answer> {
  const { scope, options, report } = steps;
  const { kube, namespace } = scope;
  const { facts, findings } = await check(scope, options);
  refuseHindered(findings);
  if (!facts.ours.some(isWatcher) || !facts.ours.some(isWorker)) {
    throw new Error(
      `Nothing was done: Millwright is not installed for ${namespace}: install the chart beside MCM, or name its namespace with --release-namespace`,
    );
  }
  const sleeping = facts.ours.find((one) => wantedOf(one) === 0 && !hasReplicasBefore(one));
  if (sleeping) {
    throw new Error(
      `Nothing was done: Deployment ${nameOf(sleeping)} of Millwright is at 0: scale it up first; it waits for MCM's Leases`,
    );
  }
  for (const deployment of facts.mcm) {
    if (await scaleToZero(kube, deployment)) report(`MCM: ${nameOf(deployment)} is scaled to 0`);
  }
  for (const deployment of facts.ours) {
    if (await scaleBack(kube, deployment, 0))
      report(`Millwright: ${nameOf(deployment)} is scaled up again`);
  }
  await until(steps, `Millwright does not manage ${namespace}`, async () => {
    const mcm = await findMcm(kube, namespace, options.mcmDeployments);
    refuseScaledUp(mcm);
    const release = options.releaseNamespace ?? namespace;
    const ours = await findOurs(kube, release, namespace);
    const holders = await readHolders(kube, namespace, ours);
    return (await endingPod(kube, mcm)) ?? obstacleIn(ours, holders);
  });
  const text = `Millwright manages the machines of ${namespace}. The way back: millwright migrate hand-back -n ${namespace}`;
  return { text, data: { namespace, isTakenOver: true } };
}

function refuseScaledUp(mcm: readonly Deployment[]): void {
  const up = mcm.find((one) => wantedOf(one) > 0);
  if (!up) return;
  throw new Error(
    `Deployment ${nameOf(up)} was scaled up again by another client: find out which (gardenlet, a dependency watchdog, GitOps), keep it from that, and run the command again`,
  );
}

function obstacleIn(ours: readonly Deployment[], holders: Holders): string | undefined {
  const absent = ours.find((one) => wantedOf(one) === 0);
  if (absent) return `Deployment ${nameOf(absent)} is at 0: scale it up`;
  const starting = ours.find(({ status }) => (status?.availableReplicas ?? 0) === 0);
  if (starting) return `no pod of Deployment ${nameOf(starting)} is ready`;
  if (holders.millwright === undefined) return 'no watcher of Millwright leads';
  const other = (['machine-controller-manager', 'machine-controller'] as const).find(
    (name) => holders[name] !== holders.millwright,
  );
  return other && `Lease ${other} is ${holders[other] ? `held by ${holders[other]}` : 'free'}`;
}

const nameOf = ({ metadata }: Deployment): string => metadata.name;
