/**
 * Further access of a worker, in a file of its own: Temporal's native part and the code of the
 * drivers take some 15 MiB of each process that loads them.
 */
import { createDrivers } from '../activities/drivers/index.ts';
import { createEventClient } from './kube/clients.ts';
import type { WorkerOutside } from './outside.ts';
import { host } from './outside.ts';
import { installTemporalRuntime } from './temporal/runtime.ts';
import { createWorkerFactory } from './temporal/worker-factory.ts';

export const workerHost: WorkerOutside = {
  ...host,
  eventClient: createEventClient,
  workerFactory: createWorkerFactory,
  installTemporalRuntime,
  createDrivers,
  copies: {},
};
