import type { NamespacedName } from '../../workflows/contracts/references.ts';
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
  /** Whose machines they are: MCM's, or those of Kubermatic's machine-controller. */
  from: 'mcm' | 'kubermatic';
  /** Deployment of machine-controller. */
  machineController: NamespacedName;
  /** The person has set the tags by which machine-controller finds instances. */
  instancesTagged: boolean;
  /** Limit of each wait. */
  timeoutSeconds: number;
}
