/**
 * A cloud as its driver describes it (docs/decisions/0056-a-frame-for-drivers.md). The rest of this
 * folder makes a `Driver` of the description, and does what all clouds have in common.
 */
import type { MeaningName } from '../error-meanings.ts';
import type {
  CreateRequest,
  DriverError,
  Driver,
  Instance,
  ListRequest,
  MachineRequest,
  ProviderRequest,
} from '../driver.ts';

/** The types of one cloud. */
export interface CloudTypes {
  /** A client with the credentials of a class, and what else its calls need. */
  account: unknown;
  thing: Resource;
  /** Of a body, as the cloud takes it. */
  content: object;
}

/** Where a thing is made, and its operations are read: project and zone. */
export type Place = Readonly<Record<string, string>>;

/** What the frame reads of a thing in the cloud. A driver's own type has more. */
export interface Resource {
  /** What `read` takes: an id, or a place and a name. */
  ref: string;
  /** Never used again. Default `ref`. */
  uid?: string;
  name: string;
  /** Of its Machine, where the name of a part is another. Default `name`. */
  machineName?: string | undefined;
  /** Where its operations are read. */
  place?: Place;
  /** As in the cloud, with those of the class. */
  tags: Readonly<Record<string, string>>;
  /** Milliseconds. */
  createdAt?: number | undefined;
}

/** What an operation is for. */
export type OperationKind = 'make' | 'remove' | 'retag';

/** Something that the cloud works on, and is asked for by its name. */
export interface Operation {
  /** Letters, digits, dashes, underscores, dots and colons. */
  name: string;
  isDone: boolean;
  /** How far it is, in words: `RUNNING, 50 %`. */
  progress?: string;
  /** Milliseconds, by the cloud's clock. */
  begunAt?: number | undefined;
  endedAt?: number | undefined;
  /** It has failed. `name`: of what it was for. */
  failure?: (kind: OperationKind, name: string, settled: boolean) => DriverError;
  /** It has failed, as what it was for is not there. */
  isForNothing?: boolean;
}

/** `words`: the cloud's own, such as its status. */
export interface State {
  is:
    | 'ready'
    | 'coming'
    /** On its way down. */
    | 'going'
    /** It exists and will never be of use. */
    | 'failed';
  words: string;
}

/** Why something that was made is of no use. */
export interface Death {
  meaning: MeaningName;
  message: string;
}

/** One thing to be made. */
export interface Body<Content> {
  name: string;
  /** Depends on nothing but the request, class and Secret, and what was made before. */
  content: Content;
}

export interface Plan<T extends CloudTypes> {
  account: T['account'];
  request: CreateRequest;
  /** What was made before, by the kind of its part. */
  made: Readonly<Record<string, readonly T['thing'][]>>;
}

export interface MakeCall<T extends CloudTypes> {
  place: Place;
  body: Body<T['content']>;
  /** See `CreateRequest.token`. */
  token: string;
  signal: AbortSignal;
  /** What was made before, by the kind of its part. */
  made: Readonly<Record<string, readonly T['thing'][]>>;
}

/** `isFound`: the cloud says that it was there before. */
export type Making<T extends CloudTypes> =
  { thing: T['thing']; isFound?: boolean } | { operation: Operation };

/**
 * One kind of thing that an instance consists of. Each method makes one call or few, ends when its
 * signal is aborted and after a time limit, and fails with a `DriverError` only, which is settled
 * where `make` was refused.
 */
export interface Part<T extends CloudTypes> {
  /** In messages: `instance`, `port`. */
  kind: string;
  /** The cloud's own word that just this does not exist is undefined; all else fails. */
  read: (
    account: T['account'],
    ref: string,
    signal: AbortSignal,
  ) => Promise<T['thing'] | undefined>;
  /** All that may be the Machine's, by token or name; the frame decides whose it is. */
  search: (account: T['account'], request: MachineRequest) => Promise<T['thing'][]>;
  /** All that may be of the cluster and namespace. Fails when it sees a part only. */
  list: (account: T['account'], request: ListRequest) => Promise<T['thing'][]>;
  /** What there is to make; none where the class does not ask for it. Makes no call. */
  bodies: (plan: Plan<T>) => Body<T['content']>[];
  make: (account: T['account'], call: MakeCall<T>) => Promise<Making<T>>;
  stateOf: (thing: T['thing']) => State;
  /**
   * Begins the next step of one that is made in several and is coming, as its state shows which
   * are done. Undefined: it only has to be waited for. Default: it is made by itself.
   */
  advance?: (
    account: T['account'],
    thing: T['thing'],
    request: CreateRequest,
  ) => Promise<Operation | undefined>;
  /** Of one that has failed, or goes before it was of use. Default: a conflict, with its state. */
  deathOf?: (thing: T['thing']) => Death;
  /** `gone` where the cloud answers only when it is; also where it was gone before. */
  remove: (
    account: T['account'],
    thing: T['thing'],
    signal: AbortSignal,
  ) => Promise<Operation | 'going' | 'gone'>;
  /** Of what an operation makes, once it is done. Default: by its name. */
  refOf?: (place: Place, name: string, operation: Operation) => string;
  /** As it is now. Undefined when the cloud does not know it, or not any more. */
  operation?: (
    account: T['account'],
    asked: { place: Place; name: string; signal: AbortSignal },
  ) => Promise<Operation | undefined>;
  providerIDOf: (thing: T['thing'], account: T['account']) => string;
  /**
   * What of this kind a providerID names; undefined where it names another kind. Fails when it has
   * no form that the cloud knows.
   */
  refIn: (providerID: string) => string | undefined;
  /** Why it must not be deleted, in words. Default: it may. */
  protectionOf?: (thing: T['thing']) => string | undefined;
}

/** How a cloud keeps a second create from making a second instance. */
export type Uniqueness =
  /** It knows a token that was used before. */
  | { by: 'token' }
  /**
   * No two have one name. `isTaken`: this `AlreadyExists` is about an instance of that name.
   * Default: each is.
   */
  | { by: 'name'; isTaken?: (error: DriverError, name: string) => boolean }
  /** By nothing: what the search before it does not see is made again. */
  | { by: 'nothing' };

export interface TagSpelling {
  /** In messages: `label`. */
  word: 'tag' | 'label';
  names: { cluster: string; namespace: string; machineUid: string; token: string };
  /** Values that the cloud takes; any other is known by its digest. */
  allowed: RegExp;
  /**
   * On one thing, ours and those of the class. Where they are many, `machineUid` is left out, which
   * the token begins with. Default: no limit.
   */
  countMax?: number;
  /** Of a digest. Default `sha256_`. */
  digestPrefix?: string;
  /** Hexadecimal digits of a digest. Default 48. */
  digestLength?: number;
}

export interface Places<Account> {
  /** The names of its parts: `project`, `zone`. */
  keys: readonly string[];
  of: (account: Account, request: MachineRequest) => Place;
  /** Also of a checkpoint: is it one of this account? */
  isOf: (account: Account, place: Place) => boolean;
}

export interface Cloud<T extends CloudTypes> {
  /** As messages begin: `Google Cloud`. */
  title: string;
  settleSeconds: number;
  /** Loads heavy libraries. */
  prepare?: () => Promise<void>;
  account: (request: ProviderRequest) => Promise<T['account']>;
  /** What a create needs before the instance, in the order in which it is made. */
  parts: readonly Part<T>[];
  instance: Part<T>;
  uniqueness: Uniqueness;
  tags: TagSpelling;
  /**
   * Tags are attached after the create: a namesake without any is young, and not a stranger's,
   * until it is older than `settleSeconds`. Default false.
   */
  tagsComeLate?: boolean;
  /**
   * An instance without tags of ours: is it of this class, as MCM's are by the tags of the class?
   * `isNamed`: its Machine has it by providerID.
   */
  isOfClass: (thing: T['thing'], providerSpec: unknown, isNamed: boolean) => boolean;
  /**
   * It has what Kubermatic's machine-controller sets on all that it makes. Such an instance is the
   * Machine's that names it by providerID and is called like it. Default: none has.
   */
  isOfMachineController?: (thing: T['thing']) => boolean;
  instanceOf: (thing: T['thing'], account: T['account']) => Instance;
  validate: (providerSpec: unknown) => string[];
  /** What is wrong with a create beside the class: the name, the user data. */
  faultsOf?: (request: CreateRequest, isClassValid: boolean) => string[];
  /** Fails where this cloud cannot take the user data. */
  requireUserData?: (request: CreateRequest) => void;
  /** For clouds where a name is searched for in a place. */
  places?: Places<T['account']>;
  /** Names one create to the cloud. Default: the token. */
  requestIdOf?: (token: string) => string;
  /**
   * An instance that fails as it is made is deleted, so that the next try makes another. Default
   * false: it stays until its Machine goes.
   */
  deletesFailed?: boolean;
  /** Such an instance is read once more after so many seconds. Default: none is. */
  confirmation?: { seconds: number; of: (thing: T['thing']) => boolean; what: string };
  /**
   * What it means when an instance has gone as soon as it was made. Default: a conflict, and
   * another token.
   */
  disappearance?: (name: string, providerSpec: unknown) => DriverError | undefined;
  initialize?: {
    isNeeded: (thing: T['thing']) => boolean;
    run: (account: T['account'], thing: T['thing'], signal: AbortSignal) => Promise<T['thing']>;
  };
  /** Undefined when there is no such instance. */
  console?: (
    account: T['account'],
    thing: T['thing'],
    signal: AbortSignal,
  ) => Promise<string | undefined>;
  /** Sets tags in place of all that are there. */
  retag?: (
    account: T['account'],
    call: { thing: T['thing']; tags: Record<string, string>; signal: AbortSignal },
  ) => Promise<Operation | undefined>;
  listScope: Driver['listScope'];
  limitScope?: NonNullable<Driver['limitScope']>;
  volumeIds: Driver['volumeIds'];
  warnings?: NonNullable<Driver['warnings']>;
  /** Seconds until a young operation is read again, and an old one. Default 5 and 10. */
  poll?: { young: number; old: number };
}
