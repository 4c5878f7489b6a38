/** Generated from driver.schema.json by `npm run generate`; do not edit. */
import type { ObjectReference } from './references.ts';
import type { Instance, MachineFailure } from '../plan/machine/facts.ts';
import type { NodeTemplate } from '../plan/machine/node-template.ts';

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
export type DeleteOutcome =
  | {
      outcome: 'deleted';
      /** There was something to delete. */
      isFound: boolean;
      /**
       * Seconds. For so long after a create without an answer this cloud may not list what it made:
       * before that, `missing` proves nothing to the core. The driver sets it; it is the same in
       * every answer.
       */
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
      /**
       * Seconds. For so long after a create without an answer this cloud may not list what it made:
       * before that, `missing` proves nothing to the core. The driver sets it; it is the same in
       * every answer.
       */
      settleSeconds: number;
    }
  | {
      outcome: 'failed';
      failure: MachineFailure;
    };
export type ConsoleOutput =
  | {
      outcome: 'read';
      /**
       * The last 4096 bytes, or less, of what was printed; empty while nothing is known to be.
       * Without control characters other than tabs and line feeds. Without secrets: it stands in a
       * history, on the Machine and in an Event. The core takes away what has the form of a secret
       * before it writes it to the Machine, but it does not know what your Secrets hold.
       */
      text: string;
    }
  | {
      outcome: 'failed';
      failure: MachineFailure;
    };
export type ValidateOutcome =
  | {
      outcome: 'validated';
      /**
       * A sentence for each fault of `providerSpec`, with field, value and what is allowed; empty
       * when there is none.
       */
      faults: string[];
      /** A sentence for each key of `providerSpec` that is ignored and resembles a known field. */
      warnings?: string[];
    }
  | {
      outcome: 'failed';
      failure: MachineFailure;
    };
export type ListOutcome =
  | {
      outcome: 'listed';
      /** Ordered by providerID. */
      instances: ListedInstance[];
    }
  | {
      outcome: 'failed';
      failure: MachineFailure;
    };
export type DeleteListedOutcome =
  | {
      outcome: 'deleted';
      /** There was something to delete. */
      isFound: boolean;
      /**
       * Seconds. For so long after a create without an answer this cloud may not list what it made:
       * before that, `missing` proves nothing to the core. The driver sets it; it is the same in
       * every answer.
       */
      settleSeconds: number;
    }
  | {
      outcome: 'failed';
      failure: MachineFailure;
    };

/**
 * Inputs and outputs of the activities that a driver serves on three Temporal task queues, which
 * `millwright driver queue` prints: `<task queue>/driver/<provider>/create` for createInstance,
 * `.../delete` for deleteInstance and deleteListed, `.../read` for the others, in any language. One
 * argument, one result, JSON. docs/writing-a-driver.md says it in words.
 * Answers: whatever the cloud says is an answer with an outcome. An exception means that there is
 * none, e.g. because the Kubernetes API is away: Temporal tries again after 0.5 s, then twice as
 * long up to 10 s, and nothing is said on the Machine.
 * Twice: every activity can run twice, and at once, with the same effect as once; its process can
 * die on any line.
 * Time: a call may take 5 minutes (60 s when a safety check asks), but it holds a slot of its
 * worker: answer `pending` where the cloud takes longer than seconds. A heartbeat within
 * `--heartbeat-timeout` (30 s by default, 2 s at least), or it counts as dead and is sent to
 * another worker: send one each second, from beside the call. Where no worker polls a queue for 60
 * s, that is said on the Machine; a task waits for a free slot as long as one does.
 * Cancellation: comes with the answer to a heartbeat when a Machine is deleted while it is created.
 * End soon, with Canceled and `isSettled` false, or with what was made by then.
 * Rates: creates, deletes and reads have queues of their own, so that none holds up the others.
 * What the account may be asked per second is a limit of the queue
 * (`max_task_queue_activities_per_second` of the worker), what one process may do at once a limit
 * of the worker (`max_concurrent_activities`).
 * Unknown fields are ignored on both sides. Optional fields are absent, not null.
 */
export interface DriverContract {
  /**
   * Finds or makes the instance of a Machine. Searches first: by providerID; by token; by name and
   * tags, if no other Machine of the namespace has that providerID. Then creates with the token,
   * with tags for cluster, namespace, Machine and token in the same call, so that there is no
   * instance without them at any time. With a providerID it never creates: without its instance it
   * fails with NotFound, settled. A token whose instance was deleted is spent: Aborted, settled
   * (clouds that do not remember cannot say so). Waits while everything is stopped or no watcher
   * leads (an exception of type `Stopped` or `NoActiveWatcher`, tried again in 1 to 5 s).
   */
  createInstance: {
    input: DriverRequest;
    output: CreateOutcome;
  };
  /**
   * Deletes everything of this Machine, whichever way it is found: providerID, token, name with
   * tags. It is deleted when the instance is gone, and not when the cloud has taken the request:
   * until then the answer is `pending`. Nothing there is success. Waits as createInstance does.
   */
  deleteInstance: {
    input: DriverRequest;
    output: DeleteOutcome;
  };
  /**
   * Searches as createInstance does, and makes nothing. Several instances of one name: OutOfRange.
   * The core asks it before a deletion whose create is unsettled, and when a Machine's instance may
   * have gone.
   */
  describeInstance: {
    input: DriverRequest;
    output: DescribeOutcome;
  };
  /**
   * Optional: a driver that does not serve it is complete. The end of what the instance of a
   * Machine has printed to its serial console. The core asks it once, and waits for 15 s at most,
   * before a Machine whose instance never became a Ready Node turns Failed. Searches as
   * describeInstance does, and changes nothing.
   */
  getConsoleOutput?: {
    input: DriverRequest;
    output: ConsoleOutput;
  };
  /** Says what is wrong with the class's provider spec. Makes no call to the cloud. */
  validateClass: {
    input: ClassRequest;
    output: ValidateOutcome;
  };
  /**
   * Lists all instances with the tags of this cluster and namespace that the class's credentials
   * lead to. The safety check for orphans asks it for every class.
   */
  listInstances: {
    input: ListRequest;
    output: ListOutcome;
  };
  /**
   * Deletes exactly this instance, if it has the tags of this cluster and namespace, and what goes
   * with it; unlike deleteInstance nothing else of the same name. A cloud that has accepted it and
   * is at work counts as deleted, with `isFound` true: the next search finds out. Nothing there, or
   * nothing of ours, is success with `isFound` false. Waits as createInstance does.
   */
  deleteListed: {
    input: DeleteListedRequest;
    output: DeleteListedOutcome;
  };
  /**
   * Says which volumes these are in the cloud. Makes no call to it. (MCM asks its drivers
   * GetVolumeIDs; the core does not ask it yet.)
   */
  volumeIds: {
    input: VolumeIdsRequest;
    output: VolumeIds;
  };
}

/** What is needed to find or make the instance of one Machine. The core sets all of it. */
export interface DriverRequest {
  /**
   * Version of this contract that the core speaks: 2. A core that sends none speaks version 1,
   * which knows no `pending` and has one task queue for all calls. A driver that is asked in a
   * version that it does not know answers what it can; new fields are optional.
   */
  contractVersion: number;
  machine: ObjectReference;
  /**
   * UID of the control cluster's namespace kube-system. The driver writes it into the tags of
   * everything that it makes, and acts only on what carries it.
   */
  cluster: string;
  /**
   * Name of the MachineClass. The driver reads its `providerSpec` and its Secrets (`secretRef`,
   * overlaid by `credentialsSecretRef`) itself, anew for each call: what stands in a Secret must
   * not enter a history.
   */
  className: string;
  /** `provider` of the class: which driver is asked. */
  provider: string;
  /**
   * The Machine's UID, a dash, and how many of its creates were refused. Names one attempt to make
   * the instance: a create that is sent twice with it makes one instance. What is sent with it
   * depends on nothing but the request, class and Secret, without times or random values. Kept
   * while the outcome of a create is unsettled; another one follows a settled failure.
   */
  token: string;
  /**
   * Identity of the instance, once the core knows it. A create that has one never makes an
   * instance.
   */
  providerID?: string;
  /**
   * Id of the Secret `bootstrap-token-ID` in namespace kube-system of the target cluster, whose
   * token `ID.SECRET` replaces `<<BOOTSTRAP_TOKEN>>` in the user data. The id is no secret. Absent:
   * the user data wants none.
   */
  bootstrapTokenId?: string;
  /** What this driver returned last. */
  lastKnownState?: string;
  /**
   * Of the `pending` that this driver answered last to this operation with this token. Absent when
   * the operation is to be started, and after a restart that lost it: the driver then finds by the
   * cloud how far it is.
   */
  checkpoint?: string;
  nodeTemplate?: NodeTemplate;
  /** An earlier attempt failed: read class and Secrets anew, if you keep them at all. */
  isRetry: boolean;
}

/**
 * An instance that was made or found. It is initialised: what a cloud lets be done only afterwards
 * is done by then.
 */
export interface CreatedInstance {
  /** The Node's `spec.providerID`. What follows the last slash identifies it. */
  providerID: string;
  /** Of the Node that the instance becomes: at most 63 small letters, digits, dashes and dots. */
  nodeName: string;
  /** Anything that the driver wants to be given back; at best nothing. Without secrets. */
  lastKnownState?: string;
  /**
   * For `status.addresses` of the Machine.
   *
   * @maxItems 100
   */
  addresses?: {
    /** As in Kubernetes: `InternalIP`, `ExternalIP`, `InternalDNS`, `ExternalDNS`, `Hostname`. */
    type: string;
    address: string;
  }[];
  /**
   * What the user data of this create were made of, where the core renders them: profile, version,
   * and a digest without secrets. Of an instance that was found, what this call would have sent.
   * Written to the Machine. Drivers in other languages leave it out.
   */
  userDataOrigin?: string;
  /** It was there before this call. */
  isFound: boolean;
}

/**
 * The cloud has accepted it and is at work. The core asks again, in the same words and with the
 * checkpoint, after `pollAfterSeconds`; no slot is held meanwhile. A create may be pending until
 * the creation timeout of its Machine, a delete for ever.
 */
export interface Pending {
  outcome: 'pending';
  /**
   * What is waited for, in words for people, e.g. `instance i-1 is shutting-down`; it stands in the
   * Machine's status. The same for as long as nothing changes. The first 2000 bytes count. Without
   * secrets.
   */
  message: string;
  /** When to ask again. */
  pollAfterSeconds: number;
  /**
   * What the next call needs to go on, e.g. the name of an operation. Without secrets: it stands in
   * a history.
   */
  checkpoint?: string;
}

/** Which class is meant. */
export interface ClassRequest {
  /**
   * Version of this contract that the core speaks: 2. A core that sends none speaks version 1,
   * which knows no `pending` and has one task queue for all calls. A driver that is asked in a
   * version that it does not know answers what it can; new fields are optional.
   */
  contractVersion: number;
  /** Of the MachineClass, its Secrets and its Machines, in the control cluster. */
  namespace: string;
  /**
   * Name of the MachineClass. The driver reads its `providerSpec` and its Secrets (`secretRef`,
   * overlaid by `credentialsSecretRef`) itself, anew for each call: what stands in a Secret must
   * not enter a history.
   */
  className: string;
}

/** Whose instances are meant, and with which credentials they are looked for. */
export interface ListRequest {
  /**
   * Version of this contract that the core speaks: 2. A core that sends none speaks version 1,
   * which knows no `pending` and has one task queue for all calls. A driver that is asked in a
   * version that it does not know answers what it can; new fields are optional.
   */
  contractVersion: number;
  /** Of the MachineClass, its Secrets and its Machines, in the control cluster. */
  namespace: string;
  /**
   * Name of the MachineClass. The driver reads its `providerSpec` and its Secrets (`secretRef`,
   * overlaid by `credentialsSecretRef`) itself, anew for each call: what stands in a Secret must
   * not enter a history.
   */
  className: string;
  /**
   * UID of the control cluster's namespace kube-system. The driver writes it into the tags of
   * everything that it makes, and acts only on what carries it.
   */
  cluster: string;
}

/** What carries the tags of this cluster and namespace. */
export interface ListedInstance {
  /** As `createInstance` returned it. */
  providerID: string;
  /** Name of the Machine that it was made for, from its tags or its name. */
  machineName: string;
  /**
   * Of the create that made it; absent where the cloud does not keep it, and on instances of MCM.
   */
  token?: string;
  /**
   * Milliseconds since 1970; absent where the cloud does not say. One that is younger than
   * --safety-orphans-min-age is left alone.
   */
  createdAt?: number;
}

/** Which instance is meant. */
export interface DeleteListedRequest {
  /**
   * Version of this contract that the core speaks: 2. A core that sends none speaks version 1,
   * which knows no `pending` and has one task queue for all calls. A driver that is asked in a
   * version that it does not know answers what it can; new fields are optional.
   */
  contractVersion: number;
  /** Of the MachineClass, its Secrets and its Machines, in the control cluster. */
  namespace: string;
  /**
   * Name of the MachineClass. The driver reads its `providerSpec` and its Secrets (`secretRef`,
   * overlaid by `credentialsSecretRef`) itself, anew for each call: what stands in a Secret must
   * not enter a history.
   */
  className: string;
  /**
   * UID of the control cluster's namespace kube-system. The driver writes it into the tags of
   * everything that it makes, and acts only on what carries it.
   */
  cluster: string;
  /** As `listInstances` returned it. */
  providerID: string;
}

/** Volumes of any provider. */
export interface VolumeIdsRequest {
  /**
   * Version of this contract that the core speaks: 2. A core that sends none speaks version 1,
   * which knows no `pending` and has one task queue for all calls. A driver that is asked in a
   * version that it does not know answers what it can; new fields are optional.
   */
  contractVersion: number;
  /**
   * Specs of PersistentVolumes, or that part of them which says which volume it is, e.g. `{"csi":
   * {"driver": ..., "volumeHandle": ...}}`.
   */
  volumes: {
    [k: string]: unknown;
  }[];
}

/** Identities in the cloud. */
export interface VolumeIds {
  /** Of those volumes that are of this provider, in the order given. */
  volumeIds: string[];
}
