/** MachineDeployments of machine-controller as the front would read them. */
import type { FrontDependencies } from '../../../activities/front/dependencies.ts';
import { instancesOf, type FoundInstance } from '../../../activities/front/instance-of.ts';
import { TemplateMaker } from '../../../activities/front/template.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { kubermaticLease } from '../../../workflows/api/kubermatic-names.ts';
import type {
  KubermaticMachine,
  KubermaticMachineDeployment,
  KubermaticMachineSet,
  KubermaticMachineTemplate,
} from '../../../workflows/api/kubermatic.ts';
import type { PoolTemplate } from '../../../workflows/plan/front/facts.ts';
import { isSameTemplate } from '../../../workflows/plan/front/names.ts';
import type { Component } from '../../../workers/config/flags/flag.ts';
import { readFlags } from '../../../workers/config/flags/parse.ts';
import type { FlagValues } from '../../../workers/config/flags/table.ts';
import { containersOf, type Deployment } from '../../install/deployments.ts';
import { nameOf, ownedBy, type TheirObjects } from './objects.ts';

export interface TheirPool {
  deployment: KubermaticMachineDeployment;
  sets: readonly KubermaticMachineSet[];
  machines: readonly KubermaticMachine[];
  /** Each begins with the object that it is about. */
  faults: readonly string[];
  ignored: readonly string[];
  /** For each Machine that is not mirrored yet. */
  instances: readonly FoundInstance[];
}

interface PoolReading {
  theirs: TheirObjects;
  nodes: ReadonlyMap<string, Node>;
  /** Variables of the others, of machine-controller, count as set. */
  processes: { fronts: readonly Deployment[]; others: readonly Deployment[] };
}

export async function readPools(kube: KubeClient, reading: PoolReading): Promise<TheirPool[]> {
  const dependencies = asFront(kube, reading.processes);
  return await Promise.all(
    reading.theirs.deployments.map((one) => readPool(dependencies, reading, one)),
  );
}

async function readPool(
  dependencies: FrontDependencies,
  { theirs, nodes }: PoolReading,
  deployment: KubermaticMachineDeployment,
): Promise<TheirPool> {
  const sets = ownedBy(deployment, theirs.sets);
  const maker = new TemplateMaker(dependencies, deployment);
  const made: { what: string; of: PoolTemplate }[] = [];
  const add = async (what: string, written: KubermaticMachineTemplate | undefined) => {
    if (!written || made.some(({ of }) => isSameTemplate(of.written, written))) return;
    made.push({ what, of: await maker.make({ name: nameOf(deployment), written }) });
  };
  await add(`MachineDeployment ${nameOf(deployment)}`, deployment.spec.template);
  for (const set of sets) await add(`MachineSet ${nameOf(set)}`, set.spec.template);
  const instances = sets.flatMap((set) => {
    const { template } = set.spec;
    const known = template && made.find(({ of }) => isSameTemplate(of.written, template));
    return instancesOf(set, known?.of.made, { machines: theirs.machines, nodes });
  });
  return {
    deployment,
    sets,
    machines: sets.flatMap((set) => ownedBy(set, theirs.machines)),
    faults: oncePerText(made, ({ faults }) => faults),
    ignored: oncePerText(made, ({ ignored }) => ignored),
    instances,
  };
}

/** Most templates of a pool say the same: the first names it. */
function oncePerText(
  made: readonly { what: string; of: PoolTemplate }[],
  textsOf: (template: PoolTemplate) => readonly string[],
): string[] {
  const said = new Map<string, string>();
  for (const { what, of } of made) {
    for (const text of textsOf(of)) if (!said.has(text)) said.set(text, `${what}: ${text}`);
  }
  return [...said.values()];
}

/** What the front would read in its place, with its flags and variables. */
function asFront(
  kube: KubeClient,
  { fronts, others }: PoolReading['processes'],
): FrontDependencies {
  const variables = [...others, ...fronts]
    .flatMap(containersOf)
    .flatMap(({ env = [] }) => env)
    .map(({ name, value }): [string, string] => [name, value ?? `variable ${name}`]);
  const flags = flagsOfProcess('front', fronts);
  return {
    control: kube,
    target: kube,
    cluster: '',
    env: Object.fromEntries(variables),
    settings: {
      instanceCluster: flags['instance-cluster'] || 'cluster',
      ...(flags['user-data-config'] && { userDataConfig: flags['user-data-config'] }),
      replacesUnhealthy: false,
      machineControllerLease: flags['machine-controller-lease'] || kubermaticLease,
    },
  };
}

/** Defaults where there is none. */
export function flagsOfProcess(component: Component, all: readonly Deployment[]): FlagValues {
  const words = all.flatMap(containersOf).flatMap(({ args = [] }) => args);
  // The program before them is no flag: that fault is left out.
  return readFlags(words, { component }).values;
}
