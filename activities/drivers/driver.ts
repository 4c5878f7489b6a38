/**
 * The driver contract: what the core asks of a cloud. A driver writes nothing to Kubernetes and
 * keeps no state.
 */
import { longestPollSeconds } from '../../workflows/contracts/driver-activities.ts';
import { type ListedInstance } from '../../workflows/contracts/driver-contract.ts';
import type { MachineErrorCode } from '../../workflows/api/failures.ts';
import type { Taint } from '../../workflows/api/machine.ts';

export type { ListedInstance };

/** What a driver needs to know of a cloud account and of what is to be made there. */
export interface ProviderRequest {
  /** UID of the control cluster; stands in the tags of everything that is made. */
  cluster: string;
  /** `providerSpec` of the MachineClass, unchecked. */
  providerSpec: unknown;
  /** Decoded data of the class's Secrets. */
  secret: Record<string, string>;
  /** When it is aborted, the call ends soon, with `Canceled`. */
  signal: AbortSignal;
}

export interface MachineRequest extends ProviderRequest {
  machine: { namespace: string; name: string; uid: string };
  /** Identity of the instance, once it is known. */
  providerID?: string;
  /**
   * Names one attempt to make the instance: UID and create generation of the Machine. What is sent
   * to the cloud with one token depends on nothing but the request, so that clouds recognise the
   * second sending.
   */
  token: string;
  /** What this driver returned last. */
  lastKnownState?: string;
  /**
   * The checkpoint of the last `DriverPending` of this driver; absent when the operation has to be
   * started.
   */
  checkpoint?: string;
  /**
   * Does another Machine have this instance? A driver asks before it takes an instance that it
   * found by name.
   */
  isClaimed: (providerID: string) => boolean | Promise<boolean>;
}

export interface CreateRequest extends MachineRequest {
  /** With all placeholders replaced. */
  userData: string;
  /**
   * Instead of `userData`, which is empty then, where that is not UTF-8, as what was packed with
   * gzip: these are sent as they are, or refused.
   */
  userDataBytes?: Uint8Array;
  /** What of the user data no error may repeat, beside the whole and its lines. */
  hidden?: readonly string[];
  /** The Node is to register with these. */
  nodeLabels?: Record<string, string>;
  nodeTaints?: Taint[];
  /** Annotations of `spec.nodeTemplate`; some of MCM's drivers read options from them. */
  nodeAnnotations?: Record<string, string>;
}

export interface Instance {
  providerID: string;
  nodeName: string;
  addresses?: { type: string; address: string }[];
  /** False: `initializeInstance` has to be called before the instance is of use. */
  isInitialized: boolean;
}

export interface CreatedInstance extends Instance {
  /** It was there before this call. */
  found: boolean;
  lastKnownState?: string;
}

export interface ListRequest extends ProviderRequest {
  /** The namespace of the Machines. */
  namespace: string;
}

export interface DeleteListedRequest extends ListRequest {
  providerID: string;
}

/** The part of a PersistentVolume's spec that says which volume it is. */
export interface PersistentVolumeSpec {
  csi?: { driver: string; volumeHandle: string };
  [source: string]: unknown;
}

/**
 * Every method can be called twice with the same effect as once, ends within the driver's own time
 * limit, and fails with a `DriverError` only. A create or a delete that the cloud accepted and is
 * not done with yet throws `DriverPending` instead of waiting, and is called again later with its
 * checkpoint.
 */
export interface Driver {
  /**
   * Loads heavy libraries before the first call: one that takes a second to load stops all
   * heartbeats of the process.
   */
  prepare?(): Promise<void>;

  /** How long after an unanswered create the cloud may not list what it made. */
  readonly settleSeconds: number;

  /**
   * Finds before it creates: by providerID; by token; by name and tags, if no other Machine claims
   * that instance. A request with a providerID never creates: without its instance it fails with
   * `NotFound`. A token whose instance was deleted is spent: `Aborted`, settled.
   */
  createInstance(request: CreateRequest): Promise<CreatedInstance>;

  /**
   * Searches as `createInstance` does and makes nothing. Several instances of one name:
   * `OutOfRange`.
   */
  describeInstance(request: MachineRequest): Promise<Instance | undefined>;

  /**
   * The end of what the instance has printed to its serial console, as the cloud has it: at least
   * the last 4 KiB, at best 64 KiB; empty while there is nothing. The core clips it and hides
   * secrets. Searches as `describeInstance` does; without an instance it fails with `NotFound`, and
   * where it has to be switched on first, with `FailedPrecondition`. Default: not to be had.
   */
  getConsoleOutput?(request: MachineRequest): Promise<string>;

  /** What can only be done once the instance exists. Nothing to do is success. */
  initializeInstance(request: MachineRequest): Promise<Instance>;

  /** Deletes everything of this Machine, whichever way it is found. Nothing there is success. */
  deleteInstance(request: MachineRequest): Promise<{ found: boolean; lastKnownState?: string }>;

  /**
   * All instances with the tags of this cluster and namespace, ordered by providerID. A driver
   * that sees only a part of them fails.
   */
  listInstances(request: ListRequest): Promise<ListedInstance[]>;

  /**
   * Where `listInstances` looks, beside the credentials: region, project, resource group. One
   * credential lists once for all classes of which this text is the same. Makes no call.
   */
  listScope(providerSpec: unknown): string;

  /**
   * Of what the cloud's limits of calls hold for, the part that is not in the credentials: mostly
   * the region. Default: nothing. Makes no call, and takes a wrong spec as well.
   */
  limitScope?(providerSpec: unknown): string;

  /**
   * Deletes exactly this instance, if it has the tags of this cluster and namespace, and what goes
   * with it. Unlike `deleteInstance` nothing else of the same name. Nothing there is success.
   */
  deleteListed(request: DeleteListedRequest): Promise<{ found: boolean }>;

  /** Identities in the cloud of those volumes that are of this provider, in the order given. */
  volumeIds(specs: PersistentVolumeSpec[]): Promise<string[]>;

  /**
   * What is wrong with a provider spec, a sentence for each field; empty when nothing is. Makes no
   * call.
   */
  validate(providerSpec: unknown): string[];

  /**
   * Keys of a provider spec that are ignored and look like a misspelled field, a sentence for each.
   * Default: none. Makes no call.
   */
  warnings?(providerSpec: unknown): string[];
}

/** The cause behind a code, where the core or a person acts on it differently. */
export type DriverFaultKind =
  /**
   * Too many calls; `code` is never ResourceExhausted, which makes the cluster autoscaler give up a
   * pool.
   */
  | 'throttling'
  /** The account may not have more; `code` is ResourceExhausted. */
  | 'quota'
  /** The cloud has no more of this size or zone; `code` is ResourceExhausted. */
  | 'capacity'
  /** The cloud refuses the credentials of the Secret. */
  | 'credentials'
  /** The class or the Machine has to be changed. */
  | 'input';

export interface DriverFault {
  code: MachineErrorCode;
  /** In words for people; stands in the Machine's status. Without secrets. */
  message: string;
  kind?: DriverFaultKind;
  /**
   * True: this call looked, found nothing, and left nothing behind or under way. False: an instance
   * may exist, as after a time limit, a broken connection, or a look that failed: an earlier try
   * may have made it.
   */
  settled: boolean;
  /** The earliest time to ask again, as the cloud says. */
  retryAfterSeconds?: number;
  cause?: unknown;
}

export class DriverError extends Error {
  override readonly name = 'DriverError';
  readonly code: MachineErrorCode;
  readonly kind: DriverFaultKind | undefined;
  readonly settled: boolean;
  readonly retryAfterSeconds: number | undefined;

  constructor({ code, message, kind, settled, retryAfterSeconds, cause }: DriverFault) {
    super(message, { cause });
    this.code = code;
    this.kind = kind;
    this.settled = settled;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface PendingOperation {
  /**
   * What is waited for, in words for people: `EC2 in eu-west-1: instance i-1 is shutting-down`.
   * Without secrets, and the same as long as nothing changes.
   */
  message: string;
  /** When to ask again; see `pollWithinContract`. */
  pollAfterSeconds: number;
  /**
   * What the next call has to know to go on, e.g. the name of an operation; at most 4 KiB, without
   * secrets.
   */
  checkpoint?: string;
}

/**
 * The wait that a driver wants before it is asked again, as the contract allows it: from a second
 * to an hour.
 */
export function pollWithinContract(seconds: number): number {
  return Math.min(Math.max(1, seconds), longestPollSeconds);
}

/** Thrown by a create or a delete that goes on in the cloud: no answer yet, and no fault. */
export class DriverPending extends Error {
  override readonly name = 'DriverPending';
  readonly pollAfterSeconds: number;
  readonly checkpoint: string | undefined;

  constructor({ message, pollAfterSeconds, checkpoint }: PendingOperation) {
    super(message);
    this.pollAfterSeconds = pollAfterSeconds;
    this.checkpoint = checkpoint;
  }
}
