/** What the front keeps of each object of both sides: whose it is, and whether it has changed. */
import type { KubeObject, OwnerReference } from '../../kube/client/client.ts';
import type { CachedObject, Change } from '../../kube/cache/object-cache.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import { group, labels } from '../../workflows/api/constants.ts';
import {
  front,
  kubermaticAnnotations,
  kubermaticFinalizers,
  kubermaticGroup,
} from '../../workflows/api/kubermatic-names.ts';
import { digestOf } from '../cache/digest.ts';

/** Of a set: its MachineDeployment. Of a Machine: its set. */
export interface ObjectView extends CachedObject {
  /** Name of what controls it, where that is of its own side. */
  owner: string | undefined;
  /** Equal as long as nothing has changed that a pass reads. */
  digest: string;
}

export interface TheirView extends ObjectView {
  /** machine-controller acts on it, or did. */
  isOfMachineController: boolean;
  /** It has our finalizer. */
  isMirror: boolean;
  isDeleting: boolean;
}

export interface OurDeploymentView extends ObjectView {
  isMirror: boolean;
}

export interface OurMachineView extends ObjectView {
  /** Name of its Node. */
  node: string | undefined;
}

export interface EvictionView extends CachedObject {
  skipsEviction: boolean;
}

export interface FrontViews {
  theirDeployments: TheirView;
  theirSets: TheirView;
  theirMachines: TheirView;
  ourDeployments: OurDeploymentView;
  ourSets: ObjectView;
  ourMachines: OurMachineView;
  nodes: EvictionView;
}

export type FrontResource = keyof FrontViews;

export type FrontChange = {
  [Resource in FrontResource]: { resource: Resource } & Change<FrontViews[Resource]>;
}[FrontResource];

const machineFinalizers: readonly string[] = Object.values(kubermaticFinalizers);

/**
 * A status that was written says nothing new: it is the front's own, which would else answer each
 * of its passes with another one.
 */
export function viewOfTheirs({ metadata, ...rest }: KubeObject): TheirView {
  const own = new Set(['status']);
  const changing = new Set(['resourceVersion', 'generation', 'managedFields']);
  return {
    ...known({ metadata }, kubermaticGroup),
    digest: digestOf(without(rest, own), without(metadata, changing)),
    isOfMachineController: (metadata.finalizers ?? []).some((name) =>
      machineFinalizers.includes(name),
    ),
    isMirror: (metadata.finalizers ?? []).includes(front.finalizer),
    isDeleting: metadata.deletionTimestamp !== undefined,
  };
}

/** All of it is shown on the other side. */
export function viewOfOurs({ metadata }: KubeObject): ObjectView {
  return { ...known({ metadata }, group), digest: metadata.resourceVersion };
}

export function viewOfOurDeployment(object: KubeObject): OurDeploymentView {
  const isMirror = object.metadata.annotations?.[front.mirrorOf] !== undefined;
  return { ...viewOfOurs(object), isMirror };
}

export function viewOfOurMachine(object: KubeObject): OurMachineView {
  return { ...viewOfOurs(object), node: object.metadata.labels?.[labels.node] };
}

export function viewOfNode({ metadata }: KubeObject): EvictionView {
  const { uid, name, resourceVersion, annotations } = metadata;
  const skipsEviction = annotations?.[kubermaticAnnotations.skipEviction] !== undefined;
  return { uid, name, resourceVersion, skipsEviction };
}

function without(object: object, fields: ReadonlySet<string>): [string, unknown][] {
  return Object.entries(object).filter(([name]) => !fields.has(name));
}

function known(object: Pick<KubeObject, 'metadata'>, side: string) {
  const { uid, name, resourceVersion } = object.metadata;
  return { uid, name, resourceVersion, owner: nameIn(controllerOf(object), side) };
}

function nameIn(owner: OwnerReference | undefined, side: string): string | undefined {
  return owner?.apiVersion.startsWith(`${side}/`) ? owner.name : undefined;
}
