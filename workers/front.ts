/** The front. */
import { createEventClient } from './kube/clients.ts';
import { host } from './outside.ts';
import { start } from './process/process.ts';
import { runFront } from './run-front.ts';
import { installTemporalRuntime } from './temporal/runtime.ts';
import { createWorkerFactory } from './temporal/worker-factory.ts';

const outside = {
  ...host,
  eventClient: createEventClient,
  workerFactory: createWorkerFactory,
  installTemporalRuntime,
};
await start('front', (front) => runFront(front, outside, process.env));
