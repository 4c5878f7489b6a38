/** What the driver asks of Compute Engine, with just what it reads of the answers. */
import type { InstanceResource } from './instance-resource.ts';
import type { InstancePlace } from './identity.ts';

/** Every call makes one request, ends when its signal is aborted and after its time limit, and fails with a `ComputeError` only. */
export interface Compute {
  /** Undefined when there is none. */
  get(place: InstancePlace, signal: AbortSignal): Promise<ComputeInstance | undefined>;
  insert(request: InsertRequest, signal: AbortSignal): Promise<ComputeOperation>;
  /** Undefined when there is none. */
  delete(place: InstancePlace, signal: AbortSignal): Promise<ComputeOperation | undefined>;
  /** One page of a zone's instances. */
  list(page: PageRequest, signal: AbortSignal): Promise<InstancePage>;
  /** Google answers when the operation is done, or after two minutes at most. */
  wait(request: WaitRequest, signal: AbortSignal): Promise<ComputeOperation>;
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

export interface WaitRequest {
  project: string;
  zone: string;
  operation: string;
  /** Of this call; Google's own limit is 120. */
  limitSeconds: number;
}

export interface ComputeInstance {
  /** Never used again, unlike the name. */
  id: string;
  place: InstancePlace;
  status: string;
  labels: Record<string, string>;
  tags: string[];
  isProtected: boolean;
  addresses: { type: string; address: string }[];
  /** Milliseconds. */
  createdAt?: number;
}

export interface ComputeOperation {
  name: string;
  isDone: boolean;
  /** Why it failed; empty when it did not. */
  errors: { code: string; message: string }[];
}
