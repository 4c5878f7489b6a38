import type { ClusterOptions, OutputOptions, TemporalOptions } from '../command-line/options.ts';

/** Undefined options of Temporal: as our watcher's Deployment says, else as `temporal` finds it. */
export interface MigrateOptions extends ClusterOptions, TemporalOptions, OutputOptions {
  /** Flags of MCM's processes: one with both, or one each. */
  mcmDeployments: readonly string[];
  /** Namespace of our own Deployments. Undefined: that of the Machines. */
  releaseNamespace?: string | undefined;
  /** Providers of MachineClasses that a driver in another process serves. */
  externalProviders: readonly string[];
  /** File with the flags of MCM where it has no Deployment in this cluster. */
  flagsFrom?: string | undefined;
  /** Limit of each wait. */
  timeoutSeconds: number;
}
