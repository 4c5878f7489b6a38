/**
 * Objects of `cluster.k8s.io/v1alpha1` as Kubermatic's machine-controller has them
 * (sdk/apis/cluster/v1alpha1 at f1068332). Their CRDs have no schema, so each field may be absent
 * or of another type than here until `deploy/crds-kubermatic` is installed.
 */
import type { NodeAddress, Taint } from './machine.ts';
import type { LabelSelector } from './machine-set.ts';
import type { NodeCondition, ObjectMeta } from './meta.ts';

interface KubermaticObject {
  apiVersion: string;
  metadata: ObjectMeta;
}

export interface KubermaticMachineDeployment extends KubermaticObject {
  kind: 'MachineDeployment';
  spec: KubermaticDeploymentSpec;
  status?: KubermaticDeploymentStatus;
}

export interface KubermaticDeploymentSpec {
  /** Default 1. */
  replicas?: number;
  selector: LabelSelector;
  template: KubermaticMachineTemplate;
  /** Default: one more at a time, none unavailable. */
  strategy?: {
    /** `RollingUpdate` alone. */
    type?: string;
    rollingUpdate?: { maxSurge?: number | string; maxUnavailable?: number | string };
  };
  /** Default 0. */
  minReadySeconds?: number;
  /** Default 1. */
  revisionHistoryLimit?: number;
  paused?: boolean;
  /** Default 600. */
  progressDeadlineSeconds?: number;
}

export interface KubermaticMachineTemplate {
  metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>;
  spec: KubermaticMachineSpec;
}

export interface KubermaticDeploymentStatus {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  /** Not of machine-controller: the selector as a string, for the scale subresource. */
  selector?: string;
  /** Not of machine-controller. */
  conditions?: FrontCondition[];
}

/** As `metav1.Condition`. */
export interface FrontCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

export interface KubermaticMachineSet extends KubermaticObject {
  kind: 'MachineSet';
  spec: {
    /** Default 1. */
    replicas?: number;
    minReadySeconds?: number;
    /** `Random` (default), `Newest` or `Oldest`. */
    deletePolicy?: string;
    selector: LabelSelector;
    template?: KubermaticMachineTemplate;
  };
  status?: KubermaticMachineSetStatus;
}

export interface KubermaticMachineSetStatus {
  replicas?: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  observedGeneration?: number;
  errorReason?: string;
  errorMessage?: string;
}

/** Their CRD has no subresource `status`: it is written with the object. */
export interface KubermaticMachine extends KubermaticObject {
  kind: 'Machine';
  spec: KubermaticMachineSpec;
  status?: KubermaticMachineStatus;
}

export interface KubermaticMachineSpec {
  /** For the Node; `name` is that of the Node. */
  metadata?: Pick<ObjectMeta, 'labels' | 'annotations'> & { name?: string };
  taints?: Taint[];
  providerSpec: { value?: KubermaticProviderConfig; valueFrom?: unknown };
  versions?: { kubelet?: string; controlPlane?: string };
  /** They refuse it. */
  configSource?: unknown;
  providerID?: string;
}

export interface KubermaticMachineStatus {
  nodeRef?: { apiVersion?: string; kind?: string; name?: string; uid?: string };
  lastUpdated?: string;
  versions?: { kubelet?: string };
  errorReason?: string;
  errorMessage?: string;
  providerStatus?: unknown;
  addresses?: NodeAddress[];
  conditions?: NodeCondition[];
  lastOperation?: { description?: string; lastUpdated?: string; state?: string; type?: string };
  phase?: string;
}

/** `providerSpec.value` (sdk/providerconfig). */
export interface KubermaticProviderConfig {
  sshPublicKeys?: string[];
  caPublicKey?: string;
  cloudProvider?: string;
  cloudProviderSpec?: Record<string, unknown>;
  operatingSystem?: string;
  operatingSystemSpec?: Record<string, unknown>;
  network?: {
    cidr?: string;
    gateway?: string;
    dns?: { servers?: string[] };
    ipFamily?: string;
  };
  overwriteCloudConfig?: string;
}
