/** Generated from deploy/crds by `npm run generate`; do not edit. */
import type { ClassSpec, LastOperation, MachineSpec, TemplateMeta } from './machine.ts';
import type { ConditionStatus, ObjectMeta } from './meta.ts';

/** A number of machines made from one template. */
export interface MachineSet {
  /** Always `machine.sapcloud.io/v1alpha1`. */
  apiVersion: string;
  kind: 'MachineSet';
  metadata: ObjectMeta;
  spec: MachineSetSpec;
  status?: MachineSetStatus;
}

/** What is wanted. */
export interface MachineSetSpec {
  /**
   * How many failed machines are preserved for inspection instead of being replaced at once.
   * Default 0.
   */
  autoPreserveFailedMachineMax?: number;
  machineClass?: ClassSpec;
  /** Without effect, as in MCM v0.62.1. */
  minReadySeconds?: number;
  /** Number of machines wanted. Default 0. */
  replicas?: number;
  selector?: LabelSelector;
  template?: MachineTemplateSpec;
}

/** Which machines belong to this object. The labels of the template must match it. Needed. */
export interface LabelSelector {
  /** Requirements that must all hold. */
  matchExpressions?: LabelSelectorRequirement[];
  /** Labels with exactly these values. */
  matchLabels?: Record<string, string>;
}

export interface LabelSelectorRequirement {
  /** Key of the label. */
  key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  operator: string;
  /** Values for `In` and `NotIn`; empty otherwise. */
  values?: string[];
}

/** What each machine is made from. */
export interface MachineTemplateSpec {
  metadata?: TemplateMeta;
  spec?: MachineSpec;
}

/** What is. Written by the controller. */
export interface MachineSetStatus {
  /** Number of failed machines that are preserved by `autoPreserveFailedMachineMax`. */
  autoPreserveFailedMachineCount?: number;
  /** Number of machines in phase Running or Available. */
  availableReplicas?: number;
  /**
   * `Reconciling` or `Stalled`, while one of them is True, for kstatus. Not of MCM, whose
   * conditions are in `machineSetCondition`.
   */
  conditions?: MachineSetCondition[];
  /** Machines whose last operation failed. */
  failedMachines?: MachineSummary[] | null;
  /** Number of machines whose labels match those of the template. */
  fullyLabeledReplicas?: number;
  lastOperation?: LastOperation;
  /** Conditions of the set. (The name of this field is part of the API.) */
  machineSetCondition?: MachineSetCondition[];
  /** metadata.generation that this status answers. */
  observedGeneration?: number;
  /** Number of failed machines that are preserved. */
  preservedFailedReplicas?: number;
  /** Number of machines in phase Running. */
  readyReplicas?: number;
  /** Number of machines, those being deleted included. */
  replicas?: number;
}

export interface MachineSetCondition {
  /** When the status last changed. */
  lastTransitionTime?: string;
  /** In words, for people. */
  message?: string;
  /** In one word, for programs. */
  reason?: string;
  /** `True`, `False` or `Unknown`. */
  status: ConditionStatus;
  /** What the condition is about, e.g. `ReplicaFailure` or `Frozen`. */
  type: string;
}

export interface MachineSummary {
  lastOperation?: LastOperation;
  /** Name of the machine. */
  name?: string;
  /** Name of the object that controls the machine. */
  ownerRef?: string;
  /** Identity of the instance in the cloud. */
  providerID?: string;
}
