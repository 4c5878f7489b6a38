/**
 * A provider of machine-controller as a table: where each field of its `cloudProviderSpec` goes, or
 * why it cannot be said. The same rows translate in both directions.
 */

/** Paths are dotted, and a number is a place in a list: `blockDevices.0.ebs.volumeSize`. */
export type Row = SaidRow | CredentialRow | RefusedRow | IgnoredRow;

export type Fields = Readonly<Record<string, unknown>>;

interface AnyRow {
  /** Field of theirs, also one within an object. */
  theirs: string;
  /** Variable of the front's process that they take the value from where the field is empty. */
  env?: string;
}

/** A field that our provider spec has too. */
export interface SaidRow extends AnyRow {
  /** Field of our provider spec. */
  ours: string;
  /** Theirs, where the field is absent, `''` or null. */
  default?: unknown;
  /** It must be there: they have no default, or one that they ask the cloud for. */
  required?: string;
  /**
   * The value of ours; undefined: none. `spec` has all values read, those of the process too.
   * Throws a `FieldFault` for one that cannot be said. Default: the same.
   */
  to?: (value: unknown, spec: Fields, pool: PoolContext) => unknown;
  /** The value of theirs. */
  back?: (value: unknown, providerSpec: Fields) => unknown;
}

/** A field whose value is a credential: it stands in the Secret. */
export interface CredentialRow extends AnyRow {
  /** Key of our Secret. */
  secret: string;
  required?: string;
  /** As with `SaidRow`; a `FieldFault` must not have the value. */
  to?: (value: unknown, spec: Fields, pool: PoolContext) => unknown;
  back?: (value: unknown, providerSpec: Fields) => unknown;
}

/** A field that changes what the machine is, and that our driver cannot say. */
export interface RefusedRow extends AnyRow {
  /** Why, and what to do instead. */
  refused: string;
  /** Values that mean the same as none, besides absent, null, `''`, `[]` and `{}`. */
  harmless?: readonly unknown[];
}

/** A field that has no effect here, and need not have one. */
export interface IgnoredRow extends AnyRow {
  ignored: string;
}

/** What a table may need besides the fields. */
export interface PoolContext {
  namespace: string;
  /** Of the MachineDeployment. */
  name: string;
  /** Name of the cluster in tags and labels of instances (`--instance-cluster`). */
  cluster: string;
  operatingSystem: string;
  sshPublicKeys: readonly string[];
  network?: { ipFamily?: string } | undefined;
  /** `spec.metadata.annotations` of the template. */
  nodeAnnotations?: Readonly<Record<string, string>> | undefined;
}

export interface ProviderTable {
  /** `cloudProvider` of theirs. */
  cloudProvider: string;
  /** `provider` of the MachineClass. */
  provider: string;
  rows: readonly Row[];
  /**
   * What no single field says: several fields that make one, tags by which our driver knows its
   * instances. `spec` has all values read. Its result is merged over that of the rows.
   */
  more?: (
    spec: Fields,
    pool: PoolContext,
  ) => { providerSpec?: Record<string, unknown>; faults?: string[]; ignored?: string[] };
  /** Fields of theirs that the rows do not give back. */
  moreBack?: (providerSpec: Fields) => Record<string, unknown>;
  /** How machine-controller finds the instance of a Machine. */
  findsInstanceBy: { name: true } | { tag: string; command: (id: string, uid: string) => string };
  /** Their providerID in the form of our driver, or what is wrong with it. Default: the same. */
  providerID?: (theirs: string, providerSpec: Fields) => { value: string } | { fault: string };
  /** Ours in their form, which is that of the Node. Default: the same. */
  providerIDBack?: (ours: string) => string;
}

/** A value that cannot be said; the message follows the name of the field. */
export class FieldFault extends Error {
  override name = 'FieldFault';
}

export interface Translation {
  provider: string;
  providerSpec: Record<string, unknown>;
  /** Data of the Secret, not encoded. */
  credentials: Record<string, string>;
  /** A sentence each, with field, value and what is allowed. No value of a credential. */
  faults: string[];
  /** Fields that have no effect here, a sentence each. */
  ignored: string[];
}
