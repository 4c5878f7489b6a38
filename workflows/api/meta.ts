/** The parts of the core API that our kinds are made of. Times are RFC 3339 text, as in JSON. */

export interface ObjectMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** Fields that the conditions of all kinds have in common. */
export interface Condition {
  type: string;
  status: ConditionStatus;
  /** In one word, for programs. */
  reason?: string;
  /** In words, for people. */
  message?: string;
  /** When `status` last changed. */
  lastTransitionTime?: string;
}

/** A condition of a Node; Machines carry copies of those of their Node. */
export interface NodeCondition extends Condition {
  /** When the Node last said so, changed or not. */
  lastHeartbeatTime?: string;
}
