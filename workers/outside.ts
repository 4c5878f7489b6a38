/** Access of a process to clusters, Temporal and clouds. A simulation hands in its own. */
import type { Client } from '@temporalio/client';
import type { CreateDrivers } from '../activities/drivers/index.ts';
import type { CopyLimits } from '../kube/cache/consistent-copy.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { Config } from './config/config.ts';
import { createClient, createLeaseClientOf, createTemporalClient } from './kube/clients.ts';
import type { CreateClient } from './kube/clients.ts';
import type { Logger } from './log/logger.ts';
import type { WorkerFactory } from './temporal/worker-factory.ts';

/** All that a watcher needs. */
export interface Outside {
  kubeClient: CreateClient;
  leaseClient(config: Pick<Config, 'control' | 'component' | 'namespaces'>): KubeClient;
  /** One attempt. */
  temporalClient(config: Pick<Config, 'temporal' | 'identity'>): Promise<Client>;
}

export interface WorkerOutside extends Outside {
  eventClient: CreateClient;
  /** One attempt. */
  workerFactory(config: Pick<Config, 'temporal' | 'workflowSandbox'>): Promise<WorkerFactory>;
  /** Undefined: the SDK has no metrics. */
  installTemporalRuntime(log: Logger): Promise<{ metricsUrl?: string }>;
  createDrivers: CreateDrivers;
  /** From when on copies serve lists. */
  copies: CopyLimits;
}

export const host: Outside = {
  kubeClient: createClient,
  leaseClient: createLeaseClientOf,
  temporalClient: createTemporalClient,
};
