/** What one pass has read of a MachineDeployment of theirs, and of all that was made for it. */
import type {
  KubermaticMachine,
  KubermaticMachineDeployment,
  KubermaticMachineSet,
} from '../../api/kubermatic.ts';
import {
  front,
  kubermaticFinalizers,
  kubermaticProviderFinalizers,
} from '../../api/kubermatic-names.ts';
import type { MachineClass } from '../../api/machine-class.ts';
import type { MachineDeployment } from '../../api/machine-deployment.ts';
import type { MachineSet, MachineTemplateSpec } from '../../api/machine-set.ts';
import type { Machine, NodeAddress } from '../../api/machine.ts';
import type { ObjectMeta } from '../../api/meta.ts';
import type { NamedTemplate } from './names.ts';

export interface PoolFacts {
  theirs: {
    deployment: KubermaticMachineDeployment;
    /** Of the deployment; and those without an owner that carry our finalizer. */
    sets: readonly KubermaticMachineSet[];
    machines: readonly KubermaticMachine[];
  };
  ours: OwnObjects;
  /** By name: that of the deployment, and those that sets are made of. */
  templates: ReadonlyMap<string, PoolTemplate>;
  /** Name of the deployment's template. */
  current: string;
  /** By name: those that this pass needs. */
  nodes: ReadonlyMap<string, NodeFacts>;
  /** Of Machines that are to be taken over, by their name: in the form of our driver. */
  providerIDs: ReadonlyMap<string, { value: string } | { fault: string }>;
  /** Of the Lease of machine-controller. */
  leaseHolder: string | undefined;
  /** RFC 3339. */
  now: string;
}

export interface OwnObjects {
  /** Also one that is no mirror. */
  deployment: MachineDeployment | undefined;
  /** Of the deployment, and those without an owner that its selector matches. */
  sets: readonly MachineSet[];
  machines: readonly Machine[];
  classes: readonly MachineClass[];
  secrets: readonly DataObject[];
  configMaps: readonly DataObject[];
}

/** Secret, with its values in base64; or ConfigMap. */
export interface DataObject {
  metadata: ObjectMeta;
  data?: Record<string, string>;
}

export interface PoolTemplate extends NamedTemplate {
  /** Undefined where there are faults. */
  made: MadeTemplate | undefined;
  faults: readonly string[];
  /** Fields without effect, a sentence each. */
  ignored: readonly string[];
  /** Our providerID in the form of theirs. Default: the same. */
  providerIDBack?: (ours: string) => string;
}

export interface MadeTemplate {
  provider: string;
  providerSpec: Record<string, unknown>;
  classAnnotations: Record<string, string>;
  /** In base64, with the template as written. */
  secretData: Record<string, string>;
  /** Data of the ConfigMap. */
  configData: Record<string, string> | undefined;
  /** Without the label of the hash. */
  template: MachineTemplateSpec;
}

export interface NodeFacts {
  uid: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  kubeletVersion: string | undefined;
  addresses: readonly NodeAddress[];
}

export function isDeleting({ metadata }: { metadata: ObjectMeta }): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** `kubectl delete --cascade=orphan`. */
export function isOrphaning({ metadata }: { metadata: ObjectMeta }): boolean {
  return metadata.finalizers?.includes('orphan') ?? false;
}

/**
 * An object that is being deleted takes no finalizer: one that was taken over then has an
 * annotation of the same name, and keeps those of machine-controller.
 */
export function isMirror({ metadata }: { metadata: ObjectMeta }): boolean {
  const { finalizers = [], annotations = {} } = metadata;
  return finalizers.includes(front.finalizer) || annotations[front.finalizer] === 'true';
}

/** Finalizers without those that wait for our side, and what the providers of theirs wait for. */
export function finalizersOfOthers(object: { metadata: ObjectMeta }): string[] {
  return finalizersToKeep(object).filter(
    (finalizer) => !finalizer.startsWith(kubermaticProviderFinalizers.prefix),
  );
}

/** As long as we serve it: machine-controller cleans up by those of its providers. */
export function finalizersToKeep({ metadata }: { metadata: ObjectMeta }): string[] {
  const waiting = [front.finalizer, ...Object.values(kubermaticFinalizers)] as readonly string[];
  return (metadata.finalizers ?? []).filter((finalizer) => !waiting.includes(finalizer));
}

/** Our MachineDeployment, where it is the mirror of theirs. */
export function mirroredDeployment({ theirs, ours }: Pick<PoolFacts, 'theirs' | 'ours'>) {
  const mirrored = ours.deployment?.metadata.annotations?.[front.mirrorOf];
  return mirrored === theirs.deployment.metadata.uid ? ours.deployment : undefined;
}

export function controllerUidOf({ metadata }: { metadata: ObjectMeta }): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

/** Name of the class that its machines are made of. */
export function classNameOf({ spec }: MachineSet): string | undefined {
  return spec.template?.spec?.class?.name;
}

/**
 * Theirs that shows each of ours. One that is being deleted may show a set that is gone, while the
 * core has made another of the same name.
 */
export function setPairs({ theirs, ours }: Pick<PoolFacts, 'theirs' | 'ours'>) {
  const present = byName(theirs.sets);
  return ours.sets.map((own) => {
    const named = present.get(own.metadata.name);
    const shown = named?.metadata.annotations?.[front.mirrorOf] ?? own.metadata.uid;
    const isOther = named !== undefined && isDeleting(named) && shown !== own.metadata.uid;
    return { ours: own, theirs: isOther ? undefined : named, isNameTaken: isOther };
  });
}

export function byName<T extends { metadata: ObjectMeta }>(objects: readonly T[]): Map<string, T> {
  return new Map(objects.map((object) => [object.metadata.name, object]));
}
