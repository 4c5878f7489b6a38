/** Reads both sides of a pool. */
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import { labels } from '../../workflows/api/constants.ts';
import type {
  KubermaticMachine,
  KubermaticMachineDeployment,
  KubermaticMachineSet,
} from '../../workflows/api/kubermatic.ts';
import { front } from '../../workflows/api/kubermatic-names.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine, NodeAddress } from '../../workflows/api/machine.ts';
import { matches, selectorText } from '../../workflows/api/selector.ts';
import type { NamespacedName } from '../../workflows/contracts/references.ts';
import {
  classNameOf,
  isMirror,
  mirroredDeployment,
  type DataObject,
  type NodeFacts,
  type OwnObjects,
  type PoolFacts,
} from '../../workflows/plan/front/facts.ts';
import { nodeToRead } from '../../workflows/plan/front/machines.ts';
import { isRecord } from '../../workflows/values/is-record.ts';
import { poolLabel } from '../../workflows/plan/front/names.ts';
import { pathOf } from './paths.ts';

export type BothSides = Pick<PoolFacts, 'theirs' | 'ours'>;

/**
 * Theirs from the top down: who marks a Machine and then lowers the number has written the mark
 * before a number that is read here, so that the mark is read too. And ours after theirs: the
 * mirror of an object is made after it, so what is not there then is gone. Undefined: theirs is
 * gone.
 */
export async function readBothSides(
  control: KubeClient,
  ref: NamespacedName,
): Promise<BothSides | undefined> {
  const sides = await readOnce(control, ref);
  if (!sides || [...sides.theirs.sets, ...sides.theirs.machines].every(controllerOf)) return sides;
  // The garbage collector may have taken the owner off: a deployment that is read after that
  // shows whether it is being deleted with `--cascade=orphan`.
  return await readOnce(control, ref);
}

async function readOnce(
  control: KubeClient,
  { namespace, name }: NamespacedName,
): Promise<BothSides | undefined> {
  const at = pathOf('theirDeployment', namespace, name);
  const found = await ignoreNotFound(control.get<KubermaticMachineDeployment>(at));
  if (!found) return undefined;
  const deployment = withSpec(found);
  const made = await readMade(control, { namespace, name });
  const read = { theirs: { deployment, sets: [], machines: [] }, ours: made };
  const theirSets = await itemsOf<KubermaticMachineSet>(control, pathOf('theirSet', namespace));
  const allSets = await itemsOf<MachineSet>(control, pathOf('set', namespace));
  const ownSets = allSets.filter((set) => isOfOurs(set, read));
  const sets = theirSets.filter((set) => isOfTheirs(set, deployment, ownSets));
  const machines = await readMachines(control, namespace, {
    deployment,
    sets: [...sets, ...ownSets],
  });
  const pool = new Set([...ownSets, ...sets].map(({ metadata }) => metadata.uid));
  const templates = namesOf(made);
  const own = machines.ours.filter((machine) => {
    const owner = controllerOf(machine);
    return owner ? pool.has(owner.uid) : templates.has(machine.spec.class?.name ?? '');
  });
  const theirs = machines.theirs.filter((machine) => {
    const owner = controllerOf(machine);
    if (owner) return pool.has(owner.uid) || shows(machine, own);
    return isLoose(machine, deployment, own);
  });
  return {
    theirs: { deployment, sets, machines: theirs },
    ours: { ...made, sets: ownSets, machines: own },
  };
}

async function itemsOf<T>(control: KubeClient, path: string, labelSelector?: string): Promise<T[]> {
  return (await control.list<T>(path, labelSelector === undefined ? {} : { labelSelector })).items;
}

async function readMade(
  control: KubeClient,
  { namespace, name }: NamespacedName,
): Promise<OwnObjects> {
  const selector = `${front.pool}=${poolLabel(name)}`;
  const at = pathOf('deployment', namespace, name);
  const [deployment, classes, secrets, configMaps] = await Promise.all([
    ignoreNotFound(control.get<MachineDeployment>(at)),
    itemsOf<MachineClass>(control, pathOf('class', namespace), selector),
    itemsOf<DataObject>(control, pathOf('secret', namespace), selector),
    itemsOf<DataObject>(control, pathOf('configMap', namespace), selector),
  ]);
  return { deployment, sets: [], machines: [], classes, secrets, configMaps };
}

function isOfTheirs(
  set: KubermaticMachineSet,
  deployment: KubermaticMachineDeployment,
  ownSets: readonly MachineSet[],
): boolean {
  const owner = controllerOf(set);
  if (owner) return owner.uid === deployment.metadata.uid || shows(set, ownSets);
  return isLoose(set, deployment, ownSets);
}

/** Also where its owner is gone, because a person removed the finalizer of that. */
function shows(object: KubeObject, own: readonly KubeObject[]): boolean {
  const { name } = object.metadata;
  return isMirror(object) && own.some(({ metadata }) => metadata.name === name);
}

/**
 * A person, or the garbage collector, took the owner of a mirror away; or it was let go by a
 * deletion, and its deployment is there again.
 */
function isLoose(
  object: KubeObject,
  { spec }: Pick<KubermaticMachineDeployment, 'spec'>,
  own: readonly KubeObject[],
): boolean {
  const { name, labels: given = {} } = object.metadata;
  const isKnown = isMirror(object) || own.some(({ metadata }) => metadata.name === name);
  return isKnown && matches(spec.selector, given);
}

/** Of the deployment; or made of a class of this pool, while its deployment is not there. */
function isOfOurs(set: MachineSet, read: BothSides): boolean {
  const owner = controllerOf(set);
  if (owner?.uid === mirroredDeployment(read)?.metadata.uid && owner) return true;
  const { name } = read.theirs.deployment.metadata;
  const isFree = owner === undefined || (owner.kind === 'MachineDeployment' && owner.name === name);
  return isFree && namesOf(read.ours).has(classNameOf(set) ?? '');
}

function namesOf({ classes, secrets }: OwnObjects): Set<string> {
  return new Set([...classes, ...secrets].map(({ metadata }) => metadata.name));
}

/** A namespace has many pools. */
async function readMachines(
  control: KubeClient,
  namespace: string,
  { deployment, sets }: { deployment: KubermaticMachineDeployment; sets: readonly AnySet[] },
) {
  const selector = commonSelector(deployment, sets);
  const theirs = await itemsOf<KubermaticMachine>(
    control,
    pathOf('theirMachine', namespace),
    selector,
  );
  const ours = await itemsOf<Machine>(control, pathOf('machine', namespace), selector);
  const known = new Set(ours.map(({ metadata }) => metadata.name));
  const missing = theirs.filter((one) => isMirror(one) && !known.has(one.metadata.name));
  return { theirs, ours: [...ours, ...(await readUnlabelled(control, namespace, missing))] };
}

type AnySet = Pick<KubermaticMachineSet | MachineSet, 'spec'>;

/**
 * Labels that all machines have, also those that their set let go; where sets are older than the
 * selector of the deployment, theirs. Undefined: there are none.
 */
function commonSelector(
  { spec }: KubermaticMachineDeployment,
  sets: readonly AnySet[],
): string | undefined {
  const wanted = Object.entries(spec.selector?.matchLabels ?? {});
  const isCommon = sets.every((set) =>
    wanted.every(([key, value]) => set.spec.selector?.matchLabels?.[key] === value),
  );
  if (wanted.length > 0 && isCommon) {
    return selectorText({ matchLabels: Object.fromEntries(wanted) });
  }
  const hashes = sets.map((set) => set.spec.selector?.matchLabels?.[labels.templateHash]);
  if (hashes.length === 0 || hashes.includes(undefined)) return undefined;
  return `${labels.templateHash} in (${[...new Set(hashes)].join(',')})`;
}

/** A list by labels misses a Machine that a person took its label off. */
async function readUnlabelled(
  control: KubeClient,
  namespace: string,
  mirrors: readonly KubermaticMachine[],
): Promise<Machine[]> {
  const found: Machine[] = [];
  for (const { metadata } of mirrors) {
    const path = pathOf('machine', namespace, metadata.name);
    const machine = await ignoreNotFound(control.get<Machine>(path));
    if (machine) found.push(machine);
  }
  return found;
}

/** Without a schema it may have none, which is a fault of its template and no error. */
function withSpec(deployment: KubermaticMachineDeployment): KubermaticMachineDeployment {
  const { template, ...spec } = Object(deployment.spec);
  return { ...deployment, spec: { ...spec, template: isRecord(template) ? template : {} } };
}

interface KubeNode extends KubeObject {
  status?: { nodeInfo?: { kubeletVersion?: string }; addresses?: NodeAddress[] };
}

/** More are read by one list. */
export const mostSingleReads = 20;

export async function readNodes(
  target: KubeClient | undefined,
  { theirs, ours }: BothSides,
  readsAll: boolean,
): Promise<Map<string, NodeFacts>> {
  const known = new Map(theirs.machines.map((machine) => [machine.metadata.name, machine]));
  const names = ours.machines.flatMap(
    (machine) =>
      (readsAll
        ? machine.status?.nodeRef?.name
        : nodeToRead(machine, known.get(machine.metadata.name))) ?? [],
  );
  if (!target || names.length === 0) return new Map();
  const nodes =
    names.length > mostSingleReads
      ? await itemsOf<KubeNode>(target, pathOf('node', ''))
      : await Promise.all(
          names.map((name) => ignoreNotFound(target.get<KubeNode>(pathOf('node', '', name)))),
        );
  const wanted = new Set(names);
  return new Map(
    nodes.flatMap((node) =>
      node && wanted.has(node.metadata.name) ? [[node.metadata.name, factsOf(node)] as const] : [],
    ),
  );
}

function factsOf({ metadata, status }: KubeNode): NodeFacts {
  return {
    uid: metadata.uid,
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    kubeletVersion: status?.nodeInfo?.kubeletVersion,
    addresses: status?.addresses ?? [],
  };
}
