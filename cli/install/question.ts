/** What every command that reads an install is asked with. */
import type { Command } from 'commander';
import type { ClusterOptions, OutputOptions, TemporalOptions } from '../command-line/options.ts';
import {
  withCluster,
  withListOutput,
  withPayloadKeys,
  withTemporal,
} from '../command-line/options.ts';

export interface FleetQuestion extends ClusterOptions, TemporalOptions, OutputOptions {
  allNamespaces?: boolean | undefined;
  /** Of the Deployments of watcher and worker. Undefined: that of the machines. */
  releaseNamespace?: string | undefined;
}

/** All but the objects that are asked for. */
export function withFleet(command: Command): Command {
  command
    .option('-A, --all-namespaces', 'machines of all namespaces')
    .option(
      '--release-namespace <name>',
      'of the Deployments of watcher and worker (default: that of the machines)',
    );
  return withPayloadKeys(withTemporal(withListOutput(withCluster(command))));
}
