/** What the judge reads of objects. */
import type { KubeObject } from '../../../kube/client/client.ts';
import { customResource } from '../../../kube/client/paths.ts';
import type { Cluster } from '../world/kube-client.ts';

/** Of an instance: the UID of the Machine that it was made for. */
export const uidTag = 'millwright.dev/machine-uid';

/** On our kinds; on Secrets and Nodes there are others. */
export const finalizer = 'machine.sapcloud.io/machine-controller-manager';
export const secretFinalizer = 'machine.sapcloud.io/machine-controller';
export const nodeFinalizer = 'node.machine.sapcloud.io/machine-controller';

export interface ClassRef {
  name?: string;
  apiGroup?: string;
}

export interface JudgedTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: { class?: ClassRef };
}

export interface JudgedTaint {
  key: string;
  effect: string;
  value?: string;
}

export interface JudgedNodeTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: { taints?: JudgedTaint[] };
}

export interface JudgedCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: string;
}

export interface JudgedStatus {
  currentStatus?: { phase?: string; preserveExpiryTime?: string | null; lastUpdateTime?: string };
  lastOperation?: {
    description?: string;
    errorCode?: string;
    state?: string;
    type?: string;
    lastUpdateTime?: string;
  };
  conditions?: JudgedCondition[];
  machineSetCondition?: JudgedCondition[];
  observedGeneration?: number;
  replicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  updatedReplicas?: number;
}

export interface JudgedSpec {
  replicas?: number;
  providerID?: string;
  class?: ClassRef;
  selector?: { matchLabels?: Record<string, string> };
  template?: JudgedTemplate;
  strategy?: Strategy;
  paused?: boolean;
  revisionHistoryLimit?: number;
  creationTimeout?: string;
  healthTimeout?: string;
  drainTimeout?: string;
  inPlaceUpdateTimeout?: string;
  progressDeadlineSeconds?: number;
  disableHealthTimeout?: boolean;
  maxEvictRetries?: number;
  nodeTemplate?: JudgedNodeTemplate;
  /** Of a Node. */
  unschedulable?: boolean;
  taints?: JudgedTaint[];
  /** Of a pod. */
  nodeName?: string;
  /** Of a Lease. */
  holderIdentity?: string;
  leaseDurationSeconds?: number;
}

export interface Strategy {
  type?: string;
  rollingUpdate?: Room;
  inPlaceUpdate?: Room & { orchestrationType?: string };
}

interface Room {
  maxSurge?: number | string;
  maxUnavailable?: number | string;
}

export interface JudgedObject extends KubeObject {
  spec?: JudgedSpec;
  status?: JudgedStatus;
  /** Of a class. */
  provider?: string;
  secretRef?: { name?: string; namespace?: string };
  credentialsSecretRef?: { name?: string; namespace?: string };
}

export type JudgedKind = Parameters<typeof customResource>[0];

export function listOf(cluster: Cluster, kind: JudgedKind, namespace: string): JudgedObject[] {
  const { items }: { items?: JudgedObject[] } = cluster.server.get(customResource(kind, namespace));
  return items ?? [];
}

export function isDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function hasFinalizer({ metadata }: KubeObject, name: string): boolean {
  return metadata.finalizers?.includes(name) ?? false;
}

/** Its workflow may delete its instance. */
export function isDeletable(object: KubeObject): boolean {
  return isDeleting(object) && hasFinalizer(object, finalizer);
}

/** UID of the controller; undefined: it has none. */
export function ownerOf({ metadata }: KubeObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

export function isOwnedBy(object: KubeObject, owner: KubeObject): boolean {
  return ownerOf(object) === owner.metadata.uid;
}

/** By the labels of a selector; expressions are not read. */
export function matches({ metadata }: KubeObject, { spec }: JudgedObject): boolean {
  const wanted = Object.entries(spec?.selector?.matchLabels ?? {});
  return wanted.every(([key, value]) => metadata.labels?.[key] === value);
}

/** Its deployment or a user has labelled the set so that it makes no machines. */
export function isClosed({ metadata: { labels = {} } }: JudgedObject): boolean {
  return labels['node.machine.sapcloud.io/scale-up-disabled'] !== undefined;
}

export function phaseOf({ status }: JudgedObject): string {
  return status?.currentStatus?.phase ?? '';
}

export function isAvailable(object: JudgedObject): boolean {
  return ['Running', 'Available'].includes(phaseOf(object));
}

export function conditionOf({ status }: JudgedObject, type: string): JudgedCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export function isReady(node: JudgedObject): boolean {
  return conditionOf(node, 'Ready')?.status === 'True';
}
