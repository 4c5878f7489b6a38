/**
 * The part of the port that a driver serves; a part of `activities.ts`, which hands it on.
 * driver-contract.schema.json says the same for drivers in other languages, field by field, and
 * docs/writing-a-driver.md in words; a test keeps schema and types together.
 */
import type { ObjectReference } from './references.ts';
import type { DescribeOutcome } from './missing-instance-activities.ts';
import type { Instance, MachineFailure } from '../plan/machine/facts.ts';
import type { NodeTemplate } from '../plan/machine/node-template.ts';

/**
 * Of the contract that the core speaks. Version 1 had no field for it, no `pending`, and one task
 * queue for all calls of a provider.
 */
export const contractVersion = 2;

/** A pending operation is asked for again after an hour at the latest. */
export const longestPollSeconds = 3_600;

/** In every request to a driver. */
export interface Envelope {
  contractVersion: number;
}

/**
 * What a driver's activity needs to find or make an instance. It reads class and Secrets itself.
 */
export interface DriverRequest extends Envelope {
  machine: ObjectReference;
  /** UID of the control cluster; stands in the tags of everything that is made. */
  cluster: string;
  className: string;
  provider: string;
  /** UID and create generation: the same create twice makes one instance. */
  token: string;
  /** Once the core knows it. A create that has one makes nothing. */
  providerID?: string;
  /** Of the Secret with the token for the user data. Absent: that wants none. */
  bootstrapTokenId?: string;
  /** What this driver returned last. */
  lastKnownState?: string;
  /**
   * Of the `pending` that was answered last. Absent: the operation is to be started, or the core
   * has lost it.
   */
  checkpoint?: string;
  /** What the Node is to carry. The core writes it in any case. */
  nodeTemplate?: NodeTemplate;
  /** Read class and Secrets anew: an attempt with what is cached has failed. */
  isRetry: boolean;
}

export interface CreatedInstance extends Instance {
  lastKnownState?: string;
  addresses?: { type: string; address: string }[];
  /** It was there already. */
  isFound: boolean;
}

/** The cloud has accepted it and is at work: the core asks again, and holds no slot meanwhile. */
export interface Pending {
  outcome: 'pending';
  /** What is waited for, in words; the same for as long as nothing changes. */
  message: string;
  /** 1 to `longestPollSeconds`. */
  pollAfterSeconds: number;
  /** What the next call needs to go on; at most 4096 characters, without secrets. */
  checkpoint?: string;
}

export type CreateOutcome =
  | { outcome: 'created'; instance: CreatedInstance }
  | Pending
  | { outcome: 'failed'; failure: MachineFailure };

export type DeleteOutcome = DeleteListedOutcome | Pending;

export type DeleteListedOutcome =
  /** `settleSeconds`: how long this cloud may take to list an instance that it made. */
  | { outcome: 'deleted'; isFound: boolean; settleSeconds: number }
  | { outcome: 'failed'; failure: MachineFailure };

/** What can be asked of a provider without a machine. */
export interface ClassRequest extends Envelope {
  namespace: string;
  className: string;
}

export type ValidateOutcome =
  /**
   * A sentence for each fault of `providerSpec`, with field, value and what is allowed; empty when
   * there is none. Makes no call to the cloud. `warnings`: a sentence for each key that is ignored
   * and looks like a misspelled field; absent when there is none.
   */
  | { outcome: 'validated'; faults: string[]; warnings?: string[] }
  | { outcome: 'failed'; failure: MachineFailure };

export interface ListRequest extends ClassRequest {
  /** UID of the control cluster. */
  cluster: string;
}

export type ListOutcome =
  /**
   * All instances of this cluster and namespace that the class's credentials and scope lead to,
   * ordered by providerID.
   */
  | { outcome: 'listed'; instances: ListedInstance[] }
  | { outcome: 'failed'; failure: MachineFailure };

export interface ListedInstance {
  providerID: string;
  machineName: string;
  /**
   * Of the create that made it; absent where the cloud does not keep it, and on instances of MCM.
   */
  token?: string;
  /** Milliseconds; absent where the cloud does not say. */
  createdAt?: number;
}

export interface DeleteListedRequest extends ListRequest {
  providerID: string;
}

export interface VolumeIdsRequest extends Envelope {
  /** The parts of PersistentVolumes' specs that say which volume it is. */
  volumes: Record<string, unknown>[];
}

/**
 * Served on the queues of `driverQueuesOf`, in any language. They write nothing to Kubernetes, can
 * run twice and at once with the same effect as once, and send a heartbeat at least every 4 s. What
 * the cloud says is an answer; an exception is none, and Temporal tries again. Creating and
 * deleting waits, as an exception, while everything is stopped or no watcher leads.
 */
export interface DriverActivities {
  /**
   * Finds by providerID, token, or name and tags; else makes the instance, unless a providerID is
   * given. A token whose instance is gone: `Aborted`, settled.
   */
  createInstance(request: DriverRequest): Promise<CreateOutcome>;
  /** Deletes everything of this Machine; pending until it is gone. */
  deleteInstance(request: DriverRequest): Promise<DeleteOutcome>;
  /** Searches as `createInstance` does, and makes nothing. */
  describeInstance(request: DriverRequest): Promise<DescribeOutcome>;
  validateClass(request: ClassRequest): Promise<ValidateOutcome>;
  /** A driver that sees only a part of them fails. */
  listInstances(request: ListRequest): Promise<ListOutcome>;
  /**
   * Deletes exactly this instance, if it is one of this cluster and namespace. One that the cloud
   * is deleting counts as deleted.
   */
  deleteListed(request: DeleteListedRequest): Promise<DeleteListedOutcome>;
  /** Identities in the cloud of those volumes that are of this provider, in the order given. */
  volumeIds(request: VolumeIdsRequest): Promise<{ volumeIds: string[] }>;
}

/**
 * What a driver is asked to do. Each kind has a queue, and a worker slots for it: no scale-in holds
 * up creates.
 */
export const driverCalls = ['create', 'delete', 'read'] as const;
export type DriverCall = (typeof driverCalls)[number];

/** On which queue each is asked. */
export const driverCallOf: Readonly<Record<keyof DriverActivities, DriverCall>> = {
  createInstance: 'create',
  deleteInstance: 'delete',
  deleteListed: 'delete',
  describeInstance: 'read',
  validateClass: 'read',
  listInstances: 'read',
  volumeIds: 'read',
};
