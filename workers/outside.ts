/** What a process reaches clusters, Temporal and clouds through. A simulation hands in its own. */
import type { Client } from '@temporalio/client';
import { createDrivers, type CreateDrivers } from '../activities/drivers/index.ts';
import type { CopyLimits } from '../activities/kube/cache/consistent-copy.ts';
import type { KubeClient } from '../activities/kube/client/client.ts';
import type { Config } from './config/config.ts';
import {
  createClient,
  createEventClient,
  createLeaseClientOf,
  createTemporalClient,
} from './kube/clients.ts';
import type { CreateClient } from './kube/clients.ts';
import type { Logger } from './log/logger.ts';
import { installTemporalRuntime } from './temporal/runtime.ts';
import { createWorkerFactory } from './temporal/worker-factory.ts';
import type { WorkerFactory } from './temporal/worker-factory.ts';

export interface Outside {
  kubeClient: CreateClient;
  eventClient: CreateClient;
  leaseClient(config: Pick<Config, 'control' | 'component' | 'namespaces'>): KubeClient;
  /** One attempt. */
  temporalClient(config: Pick<Config, 'temporal' | 'identity'>): Promise<Client>;
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
  eventClient: createEventClient,
  leaseClient: createLeaseClientOf,
  temporalClient: createTemporalClient,
  workerFactory: createWorkerFactory,
  installTemporalRuntime,
  createDrivers,
  copies: {},
};
