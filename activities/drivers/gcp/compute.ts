/** What the driver asks of Compute Engine, with just what it reads of the answers. */
import type { InstanceResource } from './instance-resource.ts';
import type { InstancePlace } from './provider-id.ts';

/**
 * Every call makes one request, ends when its signal is aborted and after its time limit, and fails
 * with a `ComputeError` only.
 */
export interface Compute {
  /** Undefined when there is none. */
  get(place: InstancePlace, signal: AbortSignal): Promise<ComputeInstance | undefined>;
  /**
   * The last 64 KiB of its first serial port; empty while there is nothing. Undefined when there is
   * no such instance.
   */
  serialOutput(place: InstancePlace, signal: AbortSignal): Promise<string | undefined>;
  insert(request: InsertRequest, signal: AbortSignal): Promise<ComputeOperation>;
  /** Undefined when there is none. */
  delete(place: InstancePlace, signal: AbortSignal): Promise<ComputeOperation | undefined>;
  /** One page of a zone's instances. */
  list(page: PageRequest, signal: AbortSignal): Promise<InstancePage>;
  /** As it is now. Undefined when Google does not know it, or not any more. */
  operation(request: OperationRequest, signal: AbortSignal): Promise<ComputeOperation | undefined>;
  /**
   * In place of all that are there. Refused when they have changed since the fingerprint was read.
   */
  setLabels(request: LabelsRequest, signal: AbortSignal): Promise<ComputeOperation>;
}

export interface InsertRequest {
  project: string;
  zone: string;
  /** UUID: a second request with it brings back the first one's operation. */
  requestId: string;
  resource: InstanceResource;
}

export interface PageRequest {
  project: string;
  zone: string;
  pageToken?: string;
}

export interface InstancePage {
  instances: ComputeInstance[];
  nextPageToken?: string;
}

export interface OperationRequest {
  project: string;
  zone: string;
  operation: string;
}

export interface LabelsRequest {
  place: InstancePlace;
  labels: Record<string, string>;
  fingerprint: string;
}

export interface ComputeInstance {
  /** Never used again, unlike the name. */
  id: string;
  place: InstancePlace;
  status: string;
  /** Why it is in this state, where Google says so. */
  statusMessage?: string;
  labels: Record<string, string>;
  /** The fingerprint of the labels; Google wants it back when they are set. */
  labelFingerprint?: string;
  tags: string[];
  isProtected: boolean;
  /** Google may take it back at any moment: spot, or preemptible. */
  isSpot: boolean;
  addresses: { type: string; address: string }[];
  /** Milliseconds. */
  createdAt?: number;
}

export interface ComputeOperation {
  name: string;
  /** PENDING, RUNNING or DONE. */
  status: string;
  isDone: boolean;
  /** Percent. */
  progress?: number;
  /** Milliseconds, by Google's clock. */
  begunAt?: number;
  endedAt?: number;
  /** Why it failed; empty when it did not. */
  errors: { code: string; message: string }[];
  /** HTTP status that goes with them. */
  errorStatus?: number;
}

export interface SpotMarks {
  preemptible?: boolean | null;
  provisioningModel?: unknown;
}

/** Google may take it back at any moment. */
export function isSpotBy({ preemptible, provisioningModel }: SpotMarks): boolean {
  return preemptible === true || provisioningModel === 'SPOT';
}
