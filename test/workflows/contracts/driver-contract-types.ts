/** Made from workflows/contracts/driver.schema.json with UPDATE_GOLDEN=1; do not edit. */

export type CreateOutcome =
  | {
      outcome: 'created';
      instance: CreatedInstance;
    }
  | Pending
  | {
      outcome: 'failed';
      failure: MachineFailure;
    };
export type MachineErrorCode =
  | 'Canceled'
  | 'Unknown'
  | 'InvalidArgument'
  | 'DeadlineExceeded'
  | 'NotFound'
  | 'AlreadyExists'
  | 'PermissionDenied'
  | 'ResourceExhausted'
  | 'FailedPrecondition'
  | 'Aborted'
  | 'OutOfRange'
  | 'Unimplemented'
  | 'Internal'
  | 'Unavailable'
  | 'DataLoss'
  | 'Unauthenticated'
  | 'Uninitialized';
export type DeleteOutcome =
  | {
      outcome: 'deleted';
      isFound: boolean;
      settleSeconds: number;
    }
  | Pending
  | {
      outcome: 'failed';
      failure: MachineFailure;
    };
export type DescribeOutcome =
  | {
      outcome: 'found';
      instance: Instance;
    }
  | {
      outcome: 'missing';
      settleSeconds: number;
    }
  | {
      outcome: 'failed';
      failure: MachineFailure;
    };
export type ValidateOutcome =
  | {
      outcome: 'validated';
      faults: string[];
      warnings?: string[];
    }
  | {
      outcome: 'failed';
      failure: MachineFailure;
    };
export type ListOutcome =
  | {
      outcome: 'listed';
      instances: ListedInstance[];
    }
  | {
      outcome: 'failed';
      failure: MachineFailure;
    };
export type DeleteListedOutcome =
  | {
      outcome: 'deleted';
      isFound: boolean;
      settleSeconds: number;
    }
  | {
      outcome: 'failed';
      failure: MachineFailure;
    };

export interface DriverContract {
  createInstance: {
    input: DriverRequest;
    output: CreateOutcome;
  };
  deleteInstance: {
    input: DriverRequest;
    output: DeleteOutcome;
  };
  describeInstance: {
    input: DriverRequest;
    output: DescribeOutcome;
  };
  validateClass: {
    input: ClassRequest;
    output: ValidateOutcome;
  };
  listInstances: {
    input: ListRequest;
    output: ListOutcome;
  };
  deleteListed: {
    input: DeleteListedRequest;
    output: DeleteListedOutcome;
  };
  volumeIds: {
    input: VolumeIdsRequest;
    output: VolumeIds;
  };
}
export interface DriverRequest {
  contractVersion: number;
  machine: LifeRef;
  cluster: string;
  className: string;
  provider: string;
  token: string;
  providerID?: string;
  bootstrapTokenId?: string;
  lastKnownState?: string;
  checkpoint?: string;
  nodeTemplate?: NodeTemplate;
  isRetry: boolean;
}
export interface LifeRef {
  namespace: string;
  name: string;
  uid: string;
}
export interface NodeTemplate {
  labels?: {
    [k: string]: string;
  };
  annotations?: {
    [k: string]: string;
  };
  taints?: Taint[];
}
export interface Taint {
  effect: string;
  key: string;
  timeAdded?: string;
  value?: string;
}
export interface CreatedInstance {
  providerID: string;
  nodeName: string;
  lastKnownState?: string;
  /**
   * @maxItems 100
   */
  addresses?: {
    type: string;
    address: string;
  }[];
  isFound: boolean;
}
export interface Pending {
  outcome: 'pending';
  message: string;
  pollAfterSeconds: number;
  checkpoint?: string;
}
export interface MachineFailure {
  code: MachineErrorCode;
  message: string;
  isSettled: boolean;
  retryAfterSeconds?: number;
  kind?: 'throttling' | 'quota' | 'capacity' | 'credentials' | 'input';
  wasCancelled?: boolean;
  during?: 'initialization' | 'nodeLookup';
}
export interface Instance {
  providerID: string;
  nodeName: string;
}
export interface ClassRequest {
  contractVersion: number;
  namespace: string;
  className: string;
}
export interface ListRequest {
  contractVersion: number;
  namespace: string;
  className: string;
  cluster: string;
}
export interface ListedInstance {
  providerID: string;
  machineName: string;
  token?: string;
  createdAt?: number;
}
export interface DeleteListedRequest {
  contractVersion: number;
  namespace: string;
  className: string;
  cluster: string;
  providerID: string;
}
export interface VolumeIdsRequest {
  contractVersion: number;
  volumes: {
    [k: string]: unknown;
  }[];
}
export interface VolumeIds {
  volumeIds: string[];
}
