/** `millwright migrate hand-back --from kubermatic`; docs/decisions/0061 has the order. */
import { providerTables } from '../../../activities/front/providers/index.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { customResource, kubermatic } from '../../../kube/client/paths.ts';
import { front, kubermaticFinalizers } from '../../../workflows/api/kubermatic-names.ts';
import type {
  KubermaticMachine,
  KubermaticMachineDeployment,
} from '../../../workflows/api/kubermatic.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { isDeleting, isMirror } from '../../../workflows/plan/front/facts.ts';
import type { Answer } from '../../command-line/answer.ts';
import { findOurs, scaleBack, type Deployment } from '../../install/deployments.ts';
import { listOf } from '../../terminal/screen.ts';
import { until, type Steps } from '../steps.ts';
import { findController, readElsewhere, readHolders } from './facts.ts';
import { flagsOf } from './flags.ts';
import { nameOf, readTheirs } from './objects.ts';
import { missingRights } from './rights.ts';
import { addNamespace } from './webhooks.ts';

/** Throws with what hinders, or with what does not come about. */
export async function handBack(steps: Steps): Promise<Answer> {
  const { scope, options, report } = steps;
  const { kube, namespace } = scope;
  const controller = await requireController(steps);
  const { lease } = flagsOf(controller);
  const ours = await findOurs(kube, options.releaseNamespace ?? namespace, namespace);
  const holders = await readHolders(kube, { namespace, ours, theirs: lease });
  const { deployments } = await readTheirs(kube, namespace);
  const served = deployments.filter(isMirror);
  if (served.length > 0) await refuse(steps, holders);
  for (const { metadata } of served) {
    const annotations = { [front.handBack]: 'true', [front.takeOver]: null };
    const path = kubermatic('machinedeployments', namespace, metadata.name);
    await kube.patch(path, 'merge', { metadata: { annotations } });
  }
  if (served.length > 0) report(`asked the front to hand back ${served.length} MachineDeployments`);
  await until(steps, 'not all is handed back', () => obstacleIn(kube, namespace));
  for (const name of await addNamespace(kube, namespace)) {
    report(`webhooks ${name}: ${namespace} is asked about again`);
  }
  const elsewhere = (await readElsewhere(kube, namespace)).ofFront;
  const data = { namespace, isHandedBack: true };
  if (elsewhere.length > 0) {
    const text = `${namespace} is handed back. machine-controller acts in all namespaces: it stays at 0 until ${listOf(elsewhere, 5)} is handed back as well.`;
    return { text, data };
  }
  if (await scaleBack(kube, controller, 1)) {
    report(`machine-controller: Deployment ${nameOf(controller)} is scaled up again`);
  }
  await until(steps, `machine-controller does not manage ${namespace}`, async () => {
    const { theirs } = await readHolders(kube, { namespace, ours, theirs: lease });
    return theirs === undefined
      ? `the Lease ${lease.name} is free, or held by Millwright`
      : undefined;
  });
  return { text: `machine-controller manages the machines of ${namespace} again.`, data };
}

async function requireController({ scope, options }: Steps): Promise<Deployment> {
  const { kube, namespace } = scope;
  const { machineController: controllerName, releaseNamespace: release = namespace } = options;
  const missing = await missingRights(kube, { namespace, release, controllerName });
  if (missing.length > 0) {
    throw new Error(`Nothing was done: you may not ${missing.join(', ')}`);
  }
  const controller = await findController(kube, controllerName);
  if (controller) return controller;
  throw new Error(
    `Nothing was done: there is no Deployment ${controllerName.namespace}/${controllerName.name}: apply that of machine-controller again with replicas: 0, or name it with --machine-controller`,
  );
}

/** What would make machine-controller create an instance once more, or nothing come about. */
async function refuse(
  { scope: { kube, namespace }, options }: Steps,
  holders: { front: string | undefined; theirs: string | undefined },
): Promise<void> {
  const { machines } = await readTheirs(kube, namespace);
  const { items } = await kube.list<Machine>(customResource('machines', namespace));
  const own = new Map(items.map((one) => [nameOf(one), one]));
  const faults = [
    ...(holders.front === undefined ? ['no front of Millwright leads: see its log'] : []),
    ...(holders.theirs === undefined
      ? []
      : [`machine-controller is at work as ${holders.theirs}: scale it to 0 first`]),
    ...machines
      .filter(isMirror)
      .flatMap((one) => faultOf(one, own.get(nameOf(one)), options.instancesTagged)),
  ];
  if (faults.length === 0) return;
  throw new Error(['Nothing was done, because of these:', ...faults].join('\n'));
}

/**
 * The older of both objects is that of the maker: machine-controller, whose tag is on the instance,
 * or Millwright.
 */
function faultOf(
  theirs: KubermaticMachine,
  ours: Machine | undefined,
  isTagged: boolean,
): string[] {
  const {
    metadata: { name, uid },
    spec,
  } = theirs;
  if (!ours) return [];
  if (isDeleting(theirs) || isDeleting(ours)) {
    return [`Machine ${name}: it is being deleted: wait until it is gone`];
  }
  const { providerID } = ours.spec;
  if (providerID === undefined) {
    return [`Machine ${name}: its instance is being made: wait until it has a providerID`];
  }
  const made =
    Date.parse(theirs.metadata.creationTimestamp) >= Date.parse(ours.metadata.creationTimestamp);
  const provider = spec.providerSpec.value?.cloudProvider ?? '';
  const by = providerTables[provider]?.findsInstanceBy;
  if (isTagged || !made || !by || !('tag' in by)) return [];
  return [
    `Machine ${name}: machine-controller finds its instance by tag ${by.tag}=${uid} alone: ${by.command(providerID, uid)}   (then --instances-tagged)`,
  ];
}

const theirFinalizers = Object.values(kubermaticFinalizers);

/** A deployment is the last that the front leaves: the rest is read after that. */
async function obstacleIn(kube: KubeClient, namespace: string): Promise<string | undefined> {
  const path = kubermatic('machinedeployments', namespace);
  const served = (await kube.list<KubermaticMachineDeployment>(path)).items.filter(isMirror);
  if (served.length > 0) return `the front still serves ${listOf(served.map(nameOf), 3)}`;
  const { sets, machines } = await readTheirs(kube, namespace);
  const left = [...sets, ...machines].filter(isMirror);
  if (left.length > 0) return `the front still has ${listOf(left.map(nameOf), 3)}`;
  const bare = machines.filter(
    ({ spec, metadata: { finalizers = [] } }) =>
      spec.providerID !== undefined && !theirFinalizers.every((one) => finalizers.includes(one)),
  );
  return bare.length === 0
    ? undefined
    : `no finalizers yet on ${listOf(bare.map(nameOf), 3)}; delete Machines that were let go with --cascade=orphan`;
}
