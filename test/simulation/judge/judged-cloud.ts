/** What the judge needs of the simulated cloud. */
export interface JudgedInstance {
  readonly id: string;
  readonly providerID: string;
  readonly name: string;
  readonly token: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly deletedAt?: number;
  readonly isInitialized?: boolean;
}

export interface CloudHappening {
  kind: 'created' | 'deleted';
  record: JudgedInstance;
  /** Name of the process whose call it was; `cloud` for what happens by itself. */
  by: string;
  /** When that call was sent; default now. */
  sentAt?: number;
}

/** A search for what an install has in the cloud, where it was answered. */
export interface Listing {
  /** Name of the process. */
  by: string;
  at: number;
}

export interface JudgedCloud {
  /** Of all times. */
  readonly records: readonly JudgedInstance[];
  readonly living: Iterable<JudgedInstance>;
  /** For now it takes no call, as of expired credentials. */
  readonly refusesAll: boolean;
  /** Of all times. */
  readonly listings: readonly Listing[];
  listen(listener: (happening: CloudHappening) => void): void;
}
