/** The double as tests hold it. */
import type { Application, Authority } from './token.ts';
import type { Resources, World } from './resources.ts';
import type { Faults } from './faults.ts';

export interface DoubleOptions {
  /** Default: any that is free. */
  port?: number;
  /**
   * Where the certificate of its authority is written. Default: a folder of its own, which goes
   * with it.
   */
  caFile?: string;
  /** Default 20. */
  operationMilliseconds?: number;
  /** Of lists. Default 100. */
  pageSize?: number;
}

export interface Call {
  method: string;
  path: string;
  body: unknown;
}

export interface AzureDouble {
  url: string;
  caFile: string;
  /** Its own certificate, for a relay on the same host. */
  tls: { cert: string; key: string };
  application: Application;
  world: World;
  faults: Faults;
  authority: Authority;
  resources: Resources;
  /** Of the Resource Manager, oldest first. */
  calls: Call[];
  /** From now on Resource Graph shows what there is now. */
  freezeGraph(): void;
  thawGraph(): void;
  /** Everything as at the start. */
  reset(): void;
  close(): Promise<void>;
}
