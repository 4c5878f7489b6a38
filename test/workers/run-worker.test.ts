/** What a worker process does at its start, by the part that it serves. */
import { fileURLToPath } from 'node:url';
import { Registry } from 'prom-client';
import { createVirtualDriver } from '../../activities/drivers/virtual/driver.ts';
import { readCommandLine } from '../../workers/config/config.ts';
import { createTemporalClient } from '../../workers/kube/clients.ts';
import { createLogger } from '../../workers/log/logger.ts';
import type { Process } from '../../workers/process/process.ts';
import { createShutdown } from '../../workers/process/shutdown.ts';
import { runWorker } from '../../workers/run-worker.ts';
import { InMemoryClient } from '../support/api-server/in-memory-client.ts';
import { aMachineClass, namespace } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';
import { startFakeTemporal } from './temporal/fake-temporal.ts';

/** Any file that exists: nothing runs the workflows. */
const bundle = fileURLToPath(import.meta.url);
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** Starts one until it is ready, in a namespace with a class of the virtual cloud. */
async function start(...flags: string[]) {
  const fake = await startFakeTemporal(({ method }) =>
    method === 'DescribeSchedule' ? { code: 5, message: 'schedule not found' } : undefined,
  );
  stops.push(() => fake.close());
  const control = new InMemoryClient(aMachineClass({ provider: 'virtual' }), {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'kube-system' },
  });
  const queues: {
    taskQueue: string;
    runsWorkflows: boolean;
    polls: unknown;
    deployment: unknown;
  }[] = [];
  let roundTrip: (() => Promise<unknown>) | undefined;
  const logged: string[] = [];
  let whyNotReady: (() => string | undefined) | undefined;
  await runWorker(
    processOf([`--temporal-address=${fake.address}`, ...flags], {
      onLog: (line) => void logged.push(line),
      onHttp: (why) => (whyNotReady = why),
    }),
    {
      kubeClient: () => control,
      eventClient: () => new InMemoryClient(),
      leaseClient: () => control,
      temporalClient: async (config) => {
        const temporal = await createTemporalClient(config);
        roundTrip = () => temporal.workflowService.getClusterInfo({});
        return temporal;
      },
      workerFactory: async () => ({
        async create({
          taskQueue,
          workflowBundle,
          activityTaskPollerBehavior: polls,
          workerDeploymentOptions: deployment,
        }) {
          const runsWorkflows = workflowBundle !== undefined;
          queues.push({ taskQueue, runsWorkflows, polls, deployment });
          const { promise, resolve } = Promise.withResolvers<void>();
          return { run: () => promise, shutdown: resolve };
        },
        close: async () => undefined,
      }),
      installTemporalRuntime: async () => ({}),
      createDrivers: (_settings, providers) =>
        new Map(providers.map((name) => [name, createVirtualDriver({ url: undefined })])),
      copies: {},
    },
  );
  expect(whyNotReady).toBeDefined();
  // The server here knows no version: a worker that has one waits for it.
  const waits =
    flags.includes('--worker-deployment=shoot_millwright') && !flags.includes('--serve=drain');
  expect(whyNotReady?.() === undefined).toBe(!waits);
  // What was asked before is with the server by now.
  await roundTrip?.();
  // Closing the connection during a call would be an unhandled rejection.
  if (queues.some(({ runsWorkflows }) => runsWorkflows)) {
    for (const what of ['the schedules', 'the schedule of their rounds'])
      await eventually(`${what}: made`, async () =>
        logged.some((line) => line.includes(`for ${what}`)),
      );
  }
  return { control, queues, whyNotReady, calls: () => fake.calls.map(({ method }) => method) };
}

interface Listeners {
  onLog(line: string): void;
  onHttp(whyNotReady: () => string | undefined): void;
}

function processOf(flags: string[], { onLog, onHttp }: Listeners): Process {
  const argv = [`--namespace=${namespace}`, `--workflow-bundle=${bundle}`, ...flags];
  const command = readCommandLine({ component: 'worker', argv, env: {} });
  if (command.kind !== 'run') throw new Error(command.text);
  const log = createLogger({
    component: 'worker',
    level: 'info',
    format: 'json',
    output: { write: onLog },
  });
  const ended = Promise.withResolvers<void>();
  const host = { on: () => undefined, exit: () => ended.resolve() };
  const shutdown = createShutdown({ log, graceSeconds: 5, host });
  stops.push(() => {
    shutdown.begin('the test is over');
    return ended.promise;
  });
  return {
    config: command.config,
    log,
    shutdown,
    certificates: () => [],
    async openHttp({ whyNotReady }) {
      onHttp(whyNotReady);
      return { registry: new Registry(), contentType: '', text: async () => '' };
    },
  };
}

const refused = [
  {
    method: 'DescribeNamespace',
    refusal: { code: 5, message: 'Namespace default is not found.' },
    says: /^waits for Temporal at [\d.:]+, namespace default: There is no such namespace/,
  },
  {
    method: 'StartWorkflowExecution',
    refusal: { code: 7, message: 'Request unauthorized.' },
    says: /namespace shoot is not served: waits for Temporal, for the claims: .*unauthorized/,
  },
];

test.each(refused)(
  'while Temporal refuses $method, /readyz says what it waits for, and why',
  async ({ method: asked, refusal, says }) => {
    const fake = await startFakeTemporal(({ method }) => (method === asked ? refusal : undefined));
    stops.push(() => fake.close());
    const control = new InMemoryClient({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'kube-system' },
    });
    let whyNotReady: (() => string | undefined) | undefined;
    const asProcess = processOf([`--temporal-address=${fake.address}`], {
      onLog: () => undefined,
      onHttp: (why) => (whyNotReady = why),
    });
    const running = runWorker(asProcess, {
      kubeClient: () => control,
      eventClient: () => new InMemoryClient(),
      leaseClient: () => control,
      temporalClient: createTemporalClient,
      workerFactory: async () => ({
        create: () => Promise.reject(new Error('no worker is to be made')),
        close: async () => undefined,
      }),
      installTemporalRuntime: async () => ({}),
      createDrivers: () => new Map(),
      copies: {},
    });
    running.catch(() => undefined);
    await eventually('it says why', async () => whyNotReady?.()?.includes(': ') ?? false);
    expect(whyNotReady?.()).toMatch(says);
  },
);

const driverQueues = (provider: string): string[] =>
  ['create', 'delete', 'read'].map((call) => `/driver/${provider}/${call}`);

const cases = [
  { flags: [], queues: ['', '/drain', ...driverQueues('virtual')] },
  { flags: ['--serve=core'], queues: [''] },
  { flags: ['--serve=drain'], queues: ['/drain'] },
  { flags: ['--serve=driver'], queues: driverQueues('virtual') },
  { flags: ['--serve=driver:aws', '--providers=AWS'], queues: driverQueues('AWS') },
  { flags: ['--serve=core,drain,driver:AWS'], queues: ['', '/drain', ...driverQueues('AWS')] },
  {
    flags: ['--serve=driver,driver:AWS'],
    queues: [...driverQueues('AWS'), ...driverQueues('virtual')],
  },
  { flags: ['--providers=GCP'], queues: ['', '/drain'] },
  { flags: ['--providers=none'], queues: ['', '/drain'] },
];

test.each(cases)('with $flags it polls $queues', async ({ flags, queues: wanted }) => {
  const { queues } = await start(...flags);
  const names = queues.map(({ taskQueue }) => taskQueue.replace(/^millwright\/[^/]+\/shoot/, ''));
  expect(names.toSorted()).toEqual(wanted.toSorted());
  const runsWorkflows = queues.filter((queue) => queue.runsWorkflows);
  expect(runsWorkflows).toHaveLength(wanted.includes('') ? 1 : 0);
});

test('the core makes the schedules and registers search attributes', async () => {
  const { calls } = await start('--serve=core');
  expect(calls().filter((call) => call === 'CreateSchedule')).toHaveLength(6);
  expect(calls()).toContain('CountWorkflowExecutions');
});

test.each(['drain', 'driver'])('%s makes no schedule', async (part) => {
  const { calls } = await start(`--serve=${part}`);
  expect(new Set(calls())).toEqual(
    new Set(['DescribeNamespace', 'GetClusterInfo', 'GetSystemInfo', 'StartWorkflowExecution']),
  );
});

const classes = /machineclasses/;

test.each([
  { flags: ['--serve=core'], reads: false },
  { flags: ['--serve=drain', '--providers=none'], reads: false },
  { flags: ['--serve=driver:virtual', '--providers=virtual'], reads: false },
  { flags: ['--serve=drain'], reads: true },
  { flags: ['--serve=driver'], reads: true },
])('with $flags it watches the MachineClasses: $reads', async ({ flags, reads }) => {
  const { control } = await start(...flags);
  expect(control.calls.some((call) => classes.test(call))).toBe(reads);
});

test('an idle driver holds few polls open', async () => {
  const { queues } = await start('--serve=driver:AWS');
  const few = { type: 'simple-maximum', maximum: 2 };
  expect(queues.map(({ polls }) => polls)).toEqual([few, few, few]);
});

const deployed = ['--worker-deployment=shoot_millwright', '--build-id=b'];

test('only the worker that runs workflows has a version, and is not ready while it is not current', async () => {
  const { queues, whyNotReady, calls } = await start(...deployed);
  const version = { deploymentName: 'shoot_millwright', buildId: 'b' };
  const deployment = { version, useWorkerVersioning: true };
  for (const queue of queues) {
    expect(queue.deployment).toEqual(
      queue.runsWorkflows
        ? { ...deployment, defaultVersioningBehavior: 'AUTO_UPGRADE' }
        : undefined,
    );
  }
  expect(queues.filter((queue) => queue.runsWorkflows)).toHaveLength(1);
  // The server of this test knows no version.
  const line = 'millwright setup --current=b --deployment=shoot_millwright';
  await eventually('it says the line', async () => whyNotReady?.()?.includes(line) === true);
  expect(calls()).toContain('DescribeTaskQueue');
});

test.each([
  { name: 'has no deployment', flags: ['--serve=core'] },
  { name: 'runs no workflows', flags: ['--serve=drain', ...deployed] },
])('a worker that $name asks for no version', async ({ flags }) => {
  const { calls, whyNotReady } = await start(...flags);
  expect(whyNotReady?.()).toBeUndefined();
  expect(calls()).not.toContain('DescribeTaskQueue');
});
