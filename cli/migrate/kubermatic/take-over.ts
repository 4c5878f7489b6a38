/** `millwright migrate take-over --from kubermatic`: docs/decisions/0061-a-front-for-kubermatic.md. */
import type { KubeClient } from '../../../kube/client/client.ts';
import { customResource } from '../../../kube/client/paths.ts';
import { front } from '../../../workflows/api/kubermatic-names.ts';
import type {
  KubermaticMachine,
  KubermaticMachineDeployment,
} from '../../../workflows/api/kubermatic.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { isMirror } from '../../../workflows/plan/front/facts.ts';
import type { Answer } from '../../command-line/answer.ts';
import {
  componentOf,
  endingPod,
  scaleBack,
  scaleToZero,
  wantedOf,
} from '../../install/deployments.ts';
import { listOf } from '../../terminal/screen.ts';
import { lineOf } from '../result.ts';
import { until, type Steps } from '../steps.ts';
import { findController, labelsOf, readFacts, readHolders, type Facts } from './facts.ts';
import { findingsOf } from './findings.ts';
import { kubermatic, nameOf, ownedBy, readTheirs } from './objects.ts';
import { exceptNamespace } from './webhooks.ts';

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
  const excepted = await exceptNamespace(kube, namespace, await labelsOf(kube, namespace));
  for (const name of excepted) report(`webhooks ${name}: ${namespace} is excepted`);
  for (const { deployment } of facts.pools) await ask(kube, deployment);
  report(`asked the front to take over ${facts.pools.length} MachineDeployments`);
  await until(steps, 'not all is taken over', () => obstacleIn(kube, namespace));
  return await summary(kube, namespace);
}

/** What the check leaves as a note is needed for this. */
function refuse(facts: Facts): void {
  const hindering = findingsOf(facts).filter(({ state }) => state === 'hinders');
  if (hindering.length > 0) {
    throw new Error(['Nothing was done, because of these:', ...hindering.map(lineOf)].join('\n'));
  }
  const { ours, holders, namespace } = facts;
  const missing = ['watcher', 'worker', 'front'].filter(
    (component) => !ours.some((one) => componentOf(one) === component && wantedOf(one) > 0),
  );
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
  const hindering = findingsOf(facts).filter(({ state }) => state === 'hinders');
  if (hindering.length === 0) return;
  const { controller, pools } = facts;
  const isFirst = !pools.some(({ deployment }) => isMirror(deployment));
  if (controller && isFirst && (await scaleBack(scope.kube, controller, 1))) {
    report(`machine-controller: Deployment ${nameOf(controller)} is scaled up again`);
  }
  throw new Error(
    ['Nothing was taken over, because of these:', ...hindering.map(lineOf)].join('\n'),
  );
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

/** Asked again or not, the front goes on; one that is served has nothing to be asked for. */
async function ask(kube: KubeClient, deployment: KubermaticMachineDeployment): Promise<void> {
  const { annotations = {}, name, namespace = '' } = deployment.metadata;
  if (isMirror(deployment) || annotations[front.takeOver] === 'true') return;
  const change = { [front.takeOver]: 'true', [front.handBack]: null };
  const path = kubermatic('machinedeployments', namespace, name);
  await kube.patch(path, 'merge', { metadata: { annotations: change } });
}

async function obstacleIn(kube: KubeClient, namespace: string): Promise<string | undefined> {
  const theirs = await readTheirs(kube, namespace);
  const own = await ownMachines(kube, namespace);
  const open = theirs.deployments.flatMap((deployment) => {
    const sets = ownedBy(deployment, theirs.sets);
    const machines = sets.flatMap((set) => ownedBy(set, theirs.machines));
    const left = machines.filter((one) => !isTaken(one, own.get(nameOf(one))));
    if (isServed(deployment) && sets.every(isMirror) && left.length === 0) return [];
    const done = `${machines.length - left.length} of ${machines.length} machines`;
    return [`MachineDeployment ${nameOf(deployment)}: ${done}${messageOf(deployment)}`];
  });
  return open.length === 0 ? undefined : `waits for ${listOf(open, 3)}`;
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

function messageOf({ status }: KubermaticMachineDeployment): string {
  const said = status?.conditions?.find(
    (one) => conditions.includes(one.type) && one.status !== 'True',
  );
  return said ? ` (${said.message})` : '';
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
