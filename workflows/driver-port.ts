/** The part of the port that a driver serves; a part of `activities.ts`, which hands it on. */
import type { LifeRef } from './activities.ts';
import type { DescribeOutcome } from './loss-port.ts';
import type { Instance, MachineFailure } from './plan/machine.ts';
import type { NodeTemplate } from './plan/node-template.ts';

/** What a driver's activity needs to find or make an instance. It reads class and Secrets itself. */
export interface DriverRequest {
  machine: LifeRef;
  cluster: string;
  className: string;
  provider: string;
  /** UID and create generation: the same create twice makes one instance. */
  token: string;
  providerID?: string;
  bootstrapTokenId?: string;
  lastKnownState?: string;
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

export type CreateOutcome =
  | { outcome: 'created'; instance: CreatedInstance }
  | { outcome: 'failed'; failure: MachineFailure };

export type DeleteOutcome =
  /** `settleSeconds`: how long this cloud may take to list an instance that it made. */
  | { outcome: 'deleted'; isFound: boolean; settleSeconds: number }
  | { outcome: 'failed'; failure: MachineFailure };

/** What can be asked of a provider without a machine. */
export interface ClassRequest {
  namespace: string;
  className: string;
}

export type ValidateOutcome =
  /** A sentence for each fault of `providerSpec`, with field, value and what is allowed; empty when there is none. Makes no call to the cloud. */
  { outcome: 'validated'; faults: string[] } | { outcome: 'failed'; failure: MachineFailure };

export interface ListRequest extends ClassRequest {
  /** UID of the control cluster. */
  cluster: string;
}

export type ListOutcome =
  /** All instances of this cluster and namespace that the class's credentials and scope lead to, ordered by providerID. */
  | { outcome: 'listed'; instances: ListedInstance[] }
  | { outcome: 'failed'; failure: MachineFailure };

export interface ListedInstance {
  providerID: string;
  machineName: string;
  /** Of the create that made it; absent where the cloud does not keep it. */
  token?: string;
  /** Milliseconds; absent where the cloud does not say. */
  createdAt?: number;
}

export interface DeleteListedRequest extends ListRequest {
  providerID: string;
}

export interface VolumeIdsRequest {
  /** The parts of PersistentVolumes' specs that say which volume it is. */
  volumes: Record<string, unknown>[];
}

/** Served on `<task queue>-driver-<provider>`, in any language. They write nothing to Kubernetes. */
export interface DriverActivities {
  createInstance(request: DriverRequest): Promise<CreateOutcome>;
  deleteInstance(request: DriverRequest): Promise<DeleteOutcome>;
  /** Looks for the instance with this providerID. */
  describeInstance(request: DriverRequest): Promise<DescribeOutcome>;
  validateClass(request: ClassRequest): Promise<ValidateOutcome>;
  listInstances(request: ListRequest): Promise<ListOutcome>;
  /** Deletes exactly this instance, if it is one of this cluster and namespace. */
  deleteListed(request: DeleteListedRequest): Promise<DeleteOutcome>;
  /** Identities in the cloud of those volumes that are of this provider, in the order given. */
  volumeIds(request: VolumeIdsRequest): Promise<{ volumeIds: string[] }>;
}
