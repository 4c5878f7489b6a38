/** `millwright migrate take-over --from kubermatic`; docs/decisions/0061 has the order. */
import type { KubeClient } from '../../../kube/client/client.ts';
import { KubeError } from '../../../kube/client/errors.ts';
import { customResource, kubermatic } from '../../../kube/client/paths.ts';
import { front } from '../../../workflows/api/kubermatic-names.ts';
import type {
  KubermaticMachine,
  KubermaticMachineDeployment,
} from '../../../workflows/api/kubermatic.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { isMirror } from '../../../workflows/plan/front/facts.ts';
import type { Answer } from '../../command-line/answer.ts';
import {
  endingPod,
  isFront,
  isWatcher,
  isWorker,
  scaleBack,
  scaleToZero,
  wantedOf,
} from '../../install/deployments.ts';
import { listOf } from '../../terminal/screen.ts';
import { refuseHindered } from '../result.ts';
import { until, type Steps } from '../steps.ts';
import { findController, labelsOf, readFacts, readHolders, type Facts } from './facts.ts';
import { findingsOf } from './findings.ts';
import { nameOf, ownedBy, readTheirs } from './objects.ts';
import { leaveNamespace } from './webhooks.ts';

/** Throws with what hinders, or with what does not come about. */
export async function takeOver(steps: Steps): Promise<Answer> {
  const { scope, options, report } = steps;
  const { kube, namespace } = scope;
  const facts = await readFacts(scope, options);
  refuse(facts);
  if (facts.controller && (await scaleToZero(kube, facts.controller))) {
    report(`machine-controller: Deployment ${nameOf(facts.controller)} is scaled to 0`);
  }
  await until(steps, 'machine-controller has not ended', () => obstacleBefore(steps, facts));
  await refuseWhatChanged(steps);
  const excepted = await leaveNamespace(kube, namespace, await labelsOf(kube, namespace));
  for (const name of excepted) report(`webhooks ${name}: ${namespace} is excepted`);
  await until(steps, 'the front cannot be asked', () => obstacleToAsking(kube, facts));
  report(`asked the front to take over ${facts.pools.length} MachineDeployments`);
  await until(steps, 'not all is taken over', () => obstacleIn(kube, namespace));
  return await summary(kube, namespace);
}

/** What the check leaves as a note is needed for this. */
function refuse(facts: Facts): void {
  refuseHindered(findingsOf(facts));
  const { ours, holders, namespace } = facts;
  const running = ours.filter((one) => wantedOf(one) > 0);
  const missing = Object.entries({ watcher: isWatcher, worker: isWorker, front: isFront })
    .filter(([, isOne]) => !running.some(isOne))
    .map(([component]) => component);
  if (missing.length > 0) {
    throw new Error(
      `Nothing was done: no ${missing.join(', no ')} of Millwright runs for ${namespace}: install the chart with front.enabled=true, or name its namespace with --release-namespace`,
    );
  }
  const idle = holders.front === undefined ? 'front' : 'watcher';
  if (holders.front === undefined || holders.millwright === undefined) {
    throw new Error(
      `Nothing was done: no ${idle} of Millwright leads for ${namespace}: see its log`,
    );
  }
}

/**
 * A Machine that machine-controller began to make after the check has an instance that only it can
 * find. It goes on with that, as long as the front has nothing.
 */
async function refuseWhatChanged({ scope, options, report }: Steps): Promise<void> {
  const facts = await readFacts(scope, options);
  const findings = findingsOf(facts);
  if (findings.every(({ state }) => state !== 'hinders')) return;
  const { controller, pools } = facts;
  const isFirst = !pools.some(({ deployment }) => isMirror(deployment));
  if (controller && isFirst && (await scaleBack(scope.kube, controller, 1))) {
    report(`machine-controller: Deployment ${nameOf(controller)} is scaled up again`);
  }
  refuseHindered(findings, 'Nothing was taken over');
}

async function obstacleBefore(
  { scope: { kube, namespace }, options }: Steps,
  { flags, ours }: Facts,
): Promise<string | undefined> {
  const controller = await findController(kube, options.machineController);
  if (controller && wantedOf(controller) > 0) {
    throw new Error(
      `Deployment ${nameOf(controller)} was scaled up again by another client: find out which (an operator, GitOps), keep it from that, and run the command again`,
    );
  }
  const pod = await endingPod(kube, controller ? [controller] : []);
  if (pod !== undefined) return pod;
  const { theirs } = await readHolders(kube, { namespace, ours, theirs: flags.lease });
  return theirs && `Lease ${flags.lease.name} is held by ${theirs}`;
}

/** An API server that has not heard yet that the namespace is excepted refuses with 500. */
async function obstacleToAsking(kube: KubeClient, { pools }: Facts): Promise<string | undefined> {
  try {
    for (const { deployment } of pools) await ask(kube, deployment);
    return undefined;
  } catch (error) {
    if (!(error instanceof KubeError) || error.code !== 500) throw error;
    return `an API server still asks a webhook (${error.message})`;
  }
}

/** Asked again or not, the front goes on; one that is served has nothing to be asked for. */
async function ask(kube: KubeClient, deployment: KubermaticMachineDeployment): Promise<void> {
  const { annotations = {}, name, namespace = '' } = deployment.metadata;
  if (isMirror(deployment) || annotations[front.takeOver] === 'true') return;
  const change = { [front.takeOver]: 'true', [front.handBack]: null };
  const path = kubermatic('machinedeployments', namespace, name);
  await kube.patch(path, 'merge', { metadata: { annotations: change } });
}

/** The Machines of a large pool are read when it is served, and not all the time before. */
async function obstacleIn(kube: KubeClient, namespace: string): Promise<string | undefined> {
  const { items } = await kube.list<KubermaticMachineDeployment>(
    kubermatic('machinedeployments', namespace),
  );
  const open = items.filter((one) => !isServed(one));
  if (open.length > 0) {
    const done = `${items.length - open.length} of ${items.length} MachineDeployments are served`;
    return `${done}; not ${listOf(open.map(withMessage), 3)}`;
  }
  const theirs = await readTheirs(kube, namespace);
  const own = await ownMachines(kube, namespace);
  const sets = items.flatMap((one) => ownedBy(one, theirs.sets));
  const left = sets
    .flatMap((set) => ownedBy(set, theirs.machines))
    .filter((one) => !isTaken(one, own.get(nameOf(one))));
  return left.length === 0 ? undefined : `Machines are left: ${listOf(left.map(nameOf), 3)}`;
}

/** Both sides name the instance, each in its form. */
function isTaken(theirs: KubermaticMachine, ours: Machine | undefined): boolean {
  return isMirror(theirs) && Boolean(theirs.spec.providerID && ours?.spec.providerID);
}

const conditions = ['Served', 'Translated'];

function isServed(deployment: KubermaticMachineDeployment): boolean {
  const now = deployment.status?.conditions ?? [];
  const isTrue = (type: string) => now.some((one) => one.type === type && one.status === 'True');
  return isMirror(deployment) && conditions.every(isTrue);
}

function withMessage(deployment: KubermaticMachineDeployment): string {
  const said = deployment.status?.conditions?.find(
    ({ type, status }) => conditions.includes(type) && status !== 'True',
  );
  return said ? `${nameOf(deployment)} (${said.message})` : nameOf(deployment);
}

async function ownMachines(kube: KubeClient, namespace: string): Promise<Map<string, Machine>> {
  const { items } = await kube.list<Machine>(customResource('machines', namespace));
  return new Map(items.map((one) => [nameOf(one), one]));
}

async function summary(kube: KubeClient, namespace: string): Promise<Answer> {
  const { deployments, machines } = await readTheirs(kube, namespace);
  const kept = machines.filter(({ spec }) => spec.providerID !== undefined);
  const counts = `${deployments.length} MachineDeployments, ${machines.length} machines with ${kept.length} instances`;
  return {
    text: `Millwright manages ${namespace}: ${counts}. The way back: millwright migrate hand-back --from kubermatic -n ${namespace}`,
    data: {
      namespace,
      isTakenOver: true,
      deployments: deployments.map(nameOf),
      machines: kept.map(({ metadata: { name }, spec: { providerID } }) => ({ name, providerID })),
    },
  };
}
