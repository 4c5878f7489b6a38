/** Made from driver.schema.json with UPDATE_GOLDEN=1; do not edit. */

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

export interface SharedTypes {
  ObjectReference: ObjectReference;
  Instance: Instance;
  MachineFailure: MachineFailure;
  NodeTemplate: NodeTemplate;
}
export interface ObjectReference {
  namespace: string;
  name: string;
  uid: string;
}
export interface Instance {
  providerID: string;
  nodeName: string;
}
export interface MachineFailure {
  code: MachineErrorCode;
  message: string;
  isSettled: boolean;
  isUnsent?: boolean;
  retryAfterSeconds?: number;
  kind?: 'throttling' | 'quota' | 'capacity' | 'credentials' | 'input';
  wasCancelled?: boolean;
  during?: 'initialization' | 'nodeLookup';
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
