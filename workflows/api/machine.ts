/** Generated from deploy/crds by `npm run generate`; do not edit. */
import type { NodeCondition, ObjectMeta } from './meta.ts';
import type { MachinePhase, OperationState, OperationType } from './phases.ts';

/** One machine, which is an instance in a cloud and the Node that it becomes. */
export interface Machine {
  /** Always `machine.sapcloud.io/v1alpha1`. */
  apiVersion: string;
  kind: 'Machine';
  metadata: ObjectMeta;
  spec: MachineSpec;
  status?: MachineStatus;
}

/** What is wanted. */
export interface MachineSpec {
  class?: ClassSpec;
  /**
   * Identity of the instance in the cloud, in the form of the provider, e.g.
   * `aws:///eu-west-1/i-0a1b2c`. Written by the controller once the instance exists; leave it out.
   */
  providerID?: string;
  nodeTemplate?: NodeTemplateSpec;
  /**
   * How long a deletion waits for the pods to be evicted before it is forced, e.g. `2h` or `1h30m`.
   * `0s`: forced at once, without asking a budget. Default: the controller's
   * `--machine-drain-timeout` (2h).
   */
  drainTimeout?: string;
  /**
   * How long the Node may be missing or unhealthy before the machine is Failed and replaced, e.g.
   * `10m`. Default: the controller's `--machine-health-timeout` (10m).
   */
  healthTimeout?: string;
  /**
   * How long the machine may take until its Node has joined before it is Failed and replaced, e.g.
   * `20m`. `0s`: Failed once it is made. Default: the controller's `--machine-creation-timeout`
   * (20m).
   */
  creationTimeout?: string;
  /**
   * How long an update in place may take before it has failed, e.g. `20m`. Default: the
   * controller's `--machine-inplace-update-timeout` (20m).
   */
  inPlaceUpdateTimeout?: string;
  /**
   * How long a machine with the annotation `node.machine.sapcloud.io/preserve` is kept, e.g. `96h`.
   * Default: the controller's `--machine-preserve-timeout` (96h).
   */
  machinePreserveTimeout?: string;
  /** True keeps an unhealthy machine in phase Unknown for ever. Default false. */
  disableHealthTimeout?: boolean;
  /**
   * Refused evictions of one pod, 20 s apart, before it is deleted without asking its budget.
   * Default: the controller's `--machine-max-evict-retries` (360).
   */
  maxEvictRetries?: number;
  /**
   * Types of Node conditions that make the machine unhealthy when True, separated by commas without
   * blanks; case matters. Default: the controller's `--node-conditions`
   * (KernelDeadlock,ReadonlyFilesystem,DiskPressure,NetworkUnavailable).
   */
  nodeConditions?: string;
}

/** The MachineClass that says what the machine is made of. Namespace is that of the machine. */
export interface ClassSpec {
  /** Always `machine.sapcloud.io`; not looked at. */
  apiGroup?: string;
  /** Always `MachineClass`. */
  kind?: string;
  /** Name of the MachineClass. */
  name?: string;
}

/** Labels, annotations and taints that the controller keeps on the Node of this machine. */
export interface NodeTemplateSpec {
  metadata?: TemplateMeta;
  spec?: NodeSpec;
}

/**
 * `labels` and `annotations` of the objects made from this template; other fields of an ObjectMeta
 * are kept but have no effect.
 */
export interface TemplateMeta {
  /** Annotations to be set. */
  annotations?: Record<string, string>;
  /** Labels to be set. */
  labels?: Record<string, string>;
  [k: string]: unknown;
}

/** A NodeSpec as in the core API. Of its fields, only `taints` has an effect. */
export interface NodeSpec {
  configSource?: NodeConfigSource;
  /** Without effect, as in the core API. */
  externalID?: string;
  /** Without effect; the cluster assigns it. */
  podCIDR?: string;
  /** Without effect; the cluster assigns them. */
  podCIDRs?: string[];
  /** Without effect; the cloud controller sets it. */
  providerID?: string;
  /** Taints that the controller keeps on the Node. Taints of others stay. */
  taints?: Taint[];
  /** Without effect; the controller cordons a Node when its machine is deleted. */
  unschedulable?: boolean;
}

/** Without effect, as in the core API. */
export interface NodeConfigSource {
  configMap?: ConfigMapNodeConfigSource;
}

/** Without effect, as in the core API. */
export interface ConfigMapNodeConfigSource {
  /** Key in the ConfigMap's data. */
  kubeletConfigKey: string;
  /** Name of the ConfigMap. */
  name: string;
  /** Namespace of the ConfigMap. */
  namespace: string;
  /** resourceVersion of the ConfigMap. */
  resourceVersion?: string;
  /** UID of the ConfigMap. */
  uid?: string;
}

export interface Taint {
  /** `NoSchedule`, `PreferNoSchedule` or `NoExecute`. */
  effect: string;
  /** Key of the taint. */
  key: string;
  /** When the taint was added. */
  timeAdded?: string;
  /** Value of the taint. */
  value?: string;
}

/** What is. Written by the controller. */
export interface MachineStatus {
  /**
   * Addresses of the instance; only without a target cluster, or with --approve-kubelet-serving.
   */
  addresses?: NodeAddress[];
  /**
   * Conditions of the Node, copied, and `Reconciling` or `Stalled` while one of them is True, for
   * kstatus.
   */
  conditions?: NodeCondition[];
  currentStatus?: CurrentStatus;
  /**
   * Why the cloud does not make the instance, while its resources are exhausted. Not of MCM: the
   * cluster autoscaler of the Kubernetes project then tries another pool.
   */
  failureMessage?: string;
  /** State that the provider's driver wants to see again. Opaque. */
  lastKnownState?: string;
  lastOperation?: LastOperation;
  nodeRef?: NodeReference;
}

export interface NodeAddress {
  /** IP address or name. */
  address: string;
  /** `Hostname`, `InternalIP`, `ExternalIP`, `InternalDNS` or `ExternalDNS`. */
  type: string;
}

/** Where the machine is in its life. */
export interface CurrentStatus {
  /** When the phase was last written; the timeouts count from here. */
  lastUpdateTime?: string;
  /**
   * `Pending`, `Available`, `Running`, `Unknown`, `Failed`, `CrashLoopBackOff`, `Terminating`,
   * `InPlaceUpdating`, `InPlaceUpdateSuccessful` or `InPlaceUpdateFailed`; absent while nothing is
   * known.
   */
  phase?: MachinePhase;
  /** Until when the machine is preserved. */
  preserveExpiryTime?: string | null;
  /** True while the machine has to join before a timeout. */
  timeoutActive?: boolean;
}

/** What was done last, and how it went. */
export interface LastOperation {
  /** In words, for people. */
  description?: string;
  /** Kind of the failure, e.g. `ResourceExhausted` or `Unauthenticated`; absent without one. */
  errorCode?: string;
  /** When this was written. */
  lastUpdateTime?: string;
  /** `Processing`, `Failed` or `Successful`. */
  state?: OperationState;
  /** `Create`, `Update`, `InPlaceUpdate`, `DrainNode`, `HealthCheck` or `Delete`. */
  type?: OperationType;
}

/**
 * The Node that has joined. Not of MCM: the cluster autoscaler of the Kubernetes project takes a
 * machine without it for one that has not joined.
 */
export interface NodeReference {
  /** Always `Node`. */
  kind?: string;
  /** Name of the Node. */
  name?: string;
}
