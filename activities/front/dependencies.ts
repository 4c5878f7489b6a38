/** Clients, variables and settings for the activities of the front. */
import type { KubeClient } from '../../kube/client/client.ts';
import type { NamespacedName } from '../../workflows/contracts/references.ts';

export interface FrontDependencies {
  /** The cluster with the objects of both sides. */
  control: KubeClient;
  /** The cluster with the Nodes; undefined: there is none. */
  target: KubeClient | undefined;
  /** Name of the target cluster in log lines. */
  cluster: string;
  /** Variables of the process: credentials that a `cloudProviderSpec` leaves empty. */
  env: Readonly<Record<string, string | undefined>>;
  settings: FrontSettings;
}

export interface FrontSettings {
  /** Name of the cluster in tags and labels of instances. */
  instanceCluster: string;
  /**
   * ConfigMap in the namespace of a pool whose key `config.yaml` all pools share; undefined: none.
   */
  userDataConfig?: string;
  /** `creationTimeout` of new templates; undefined: the core's. */
  joinClusterTimeoutSeconds?: number;
  /** `drainTimeout` of new templates; undefined: the core's. */
  skipEvictionAfterSeconds?: number;
  /** False: `disableHealthTimeout` on new templates. */
  replacesUnhealthy: boolean;
  /** While it is held, nothing new is served. */
  machineControllerLease: NamespacedName;
}
