import { IllegalStateError } from '@temporalio/common';
import { Registry } from 'prom-client';
import { readCommandLine } from '../../../workers/config/config.ts';
import { DriverWorkers } from '../../../workers/temporal/driver-workers.ts';
import { Rounds } from '../../../workers/checks/rounds.ts';
import { createInterceptors, startWorkers } from '../../../workers/temporal/workers.ts';
import { ActivitiesByNamespace } from '../../../workers/temporal/activities-by-namespace.ts';
import { logLines } from '../log/log-lines.ts';

test('drivers end in order also where the worker of drains has failed', async () => {
  const command = readCommandLine({ component: 'worker', argv: ['--serve=drain'], env: {} });
  if (command.kind !== 'run') throw new Error(command.text);
  const { log } = logLines();
  const activities = new ActivitiesByNamespace({
    cluster: 'one',
    only: 'shoot',
    mayBeOurs: () => false,
    whyNotServed: () => undefined,
  });
  const stops: (() => Promise<void> | void)[] = [];
  const happened: string[] = [];
  const driverWorkers = new DriverWorkers({
    drivers: new Map(),
    isAtOnce: () => true,
    createWorkers: async () => [],
    onStart: () => undefined,
  });
  const stopDrivers = driverWorkers.stop.bind(driverWorkers);
  driverWorkers.stop = async () => {
    happened.push('drivers');
    await stopDrivers();
  };
  const { failed } = await startWorkers({
    config: command.config,
    log,
    registry: new Registry(),
    taskQueue: 'millwright/one/shoot',
    factory: {
      create: async () => ({
        run: () => Promise.reject(new Error('stuck')),
        shutdown() {
          throw new IllegalStateError('Not running. Current state: FAILED');
        },
      }),
      close: async () => undefined,
    },
    activities,
    rounds: new Rounds(),
    driverWorkers,
    interceptors: createInterceptors(activities, { registry: new Registry(), log }),
    shutdown: {
      signal: new AbortController().signal,
      add: (_name, stop) => void stops.push(stop),
    },
    version: undefined,
  });
  expect(await failed).toEqual(new Error('stuck'));
  for (const stop of stops) await stop();
  expect(happened).toEqual(['drivers']);
});
