/**
 * The part of the port about the Node of a machine; a part of `kube-activities.ts`, which hands it
 * on.
 */
import type { CreatedInstance } from './driver-contract.ts';
import type { ObjectReference } from './references.ts';
import type { Instance } from '../plan/machine/facts.ts';
import type { NodeTemplate } from '../plan/machine/node-template.ts';

export interface JoinRequest {
  machine: ObjectReference;
  /** The Node that was seen Ready. */
  node: { name: string; uid: string };
  /** ID of the machine's instance. Absent in requests of earlier versions. */
  providerID?: string;
  className: string;
  nodeTemplate?: NodeTemplate;
  /** Template that was last applied; absent where that is not known. */
  applied?: NodeTemplate;
  /** Types of conditions that must be False; absent: the worker's flag. */
  nodeConditions?: string[];
  bootstrapTokenId?: string;
  /** The Machine has its ids and nothing else of its instance. */
  created?: CreatedInstance;
  /** It carries the template already, as far as that was known then. */
  isEquipped?: boolean;
}

export interface NodeSyncOutcome {
  /** The Node carries the template. Absent: it was refused, or there is no such Node. */
  isApplied?: true;
}

/** The Node as it is, when it is not what the workflow thought. */
export type JoinOutcome =
  | ({ hasJoined: true } & NodeSyncOutcome)
  /** `isContested`: another Machine has it. */
  | { hasJoined: false; reason: string; isContested?: true };

export interface NodeSyncRequest {
  machine: ObjectReference;
  instance: Instance;
  /** UID of the Node that the machine has joined by; absent when it has not, or it is not known. */
  nodeUid?: string;
  className: string;
  /** resourceVersion of the class that the watcher signalled: an older one is of no use. */
  classAtLeast?: string;
  nodeTemplate?: NodeTemplate;
  /** Template that was last applied; absent where that is not known. */
  applied?: NodeTemplate;
  /**
   * The Node of a machine that has not joined yet: its conditions are copied as well, unless it can
   * join by now. `isFresh`: nothing was written to it.
   */
  joining?: { uid: string; isFresh: boolean } & Pick<JoinRequest, 'nodeConditions'>;
}

export type NodeDeletionOutcome =
  | { found: 'deleting' }
  /** The Node is there, or most Nodes are missing, or the Machine is another. */
  | { found: 'nothing' }
  | { found: 'outOfReach'; reason: string };
