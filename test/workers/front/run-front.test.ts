/** What a front does at its start, and what its passes answer. */
import { fileURLToPath } from 'node:url';
import { Registry } from 'prom-client';
import { readCommandLine } from '../../../workers/config/config.ts';
import { registerFrontMetrics } from '../../../workers/front/metrics.ts';
import { passesByNamespace } from '../../../workers/front/worker.ts';
import { createTemporalClient } from '../../../workers/kube/clients.ts';
import { createLogger } from '../../../workers/log/logger.ts';
import { createShutdown } from '../../../workers/process/shutdown.ts';
import { runFront } from '../../../workers/run-front.ts';
import type { SyncOutcome } from '../../../workflows/contracts/front-activities.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { namespace } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import { startFakeTemporal } from '../temporal/fake-temporal.ts';

/** Any file that exists: nothing runs the workflows. */
const bundle = fileURLToPath(import.meta.url);

test('it serves a queue of its own under a Lease of its own, and says that the CRDs are missing', async () => {
  const fake = await startFakeTemporal(() => undefined);
  const uid = 'uid-of-kube-system';
  const control = new InMemoryClient({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'kube-system', uid },
  });
  const argv = [
    `--temporal-address=${fake.address}`,
    `--namespace=${namespace}`,
    `--workflow-bundle=${bundle}`,
  ];
  const command = readCommandLine({ component: 'front', argv, env: {} });
  if (command.kind !== 'run') throw new Error(command.text);
  const log = createLogger({ component: 'front', level: 'error', format: 'json' });
  const ended = Promise.withResolvers<void>();
  const host = { on: () => undefined, exit: () => ended.resolve() };
  const shutdown = createShutdown({ log, graceSeconds: 60, host });
  const queues: string[] = [];
  let whyNotReady: (() => string | undefined) | undefined;
  const process = {
    config: command.config,
    log,
    shutdown,
    certificates: () => [],
    async openHttp(options: { whyNotReady(): string | undefined }) {
      whyNotReady = () => options.whyNotReady();
      return { registry: new Registry(), contentType: '', text: async () => '' };
    },
  };
  const outside = {
    kubeClient: () => control,
    eventClient: () => new InMemoryClient(),
    leaseClient: () => control,
    temporalClient: createTemporalClient,
    workerFactory: async () => ({
      async create({ taskQueue }: { taskQueue: string }) {
        queues.push(taskQueue);
        const { promise, resolve } = Promise.withResolvers<void>();
        return { run: () => promise, shutdown: resolve };
      },
      close: async () => undefined,
    }),
    installTemporalRuntime: async () => ({}),
  };
  try {
    await runFront(process, outside, {});
    expect(queues).toEqual([`millwright/${uid}/${namespace}/front`]);
    expect(whyNotReady?.()).toMatch(
      /^the CRDs machinedeployments\.cluster\.k8s\.io, .* are missing: apply/,
    );
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    await eventually('it leads', async () => control.has(`${leases}/millwright-front`));
    for (const name of ['millwright', 'machine-controller', 'machine-controller-manager'])
      expect(control.has(`${leases}/${name}`)).toBe(false);
  } finally {
    shutdown.begin('the test is over');
    await ended.promise;
    await fake.close();
  }
});

test('passes run with what their namespace has, and are counted', async () => {
  const registry = new Registry();
  const watcher = { isLeader: () => true, oldestPendingSeconds: () => 7 };
  const metrics = registerFrontMetrics(registry, new Map([['shoot', watcher]]));
  const outcomes: (SyncOutcome | undefined)[] = [
    { state: 'current', writes: 3, machines: 1 },
    { state: 'waits', writes: 1, machines: 1 },
    undefined,
  ];
  const own = {
    async syncPool() {
      const outcome = outcomes.shift();
      if (!outcome) throw new Error('a webhook refuses');
      return outcome;
    },
  };
  const passes = passesByNamespace({
    activities: new Map([['shoot', own]]),
    whyNotServed: () => 'its target cluster does not answer',
    metrics,
  });
  const input = { ref: { namespace: 'shoot', name: 'pool' } };
  expect(await passes.syncPool(input)).toMatchObject({ state: 'current' });
  await passes.syncPool(input);
  await expect(passes.syncPool(input)).rejects.toThrow('a webhook refuses');
  await expect(passes.syncPool({ ref: { namespace: 'other', name: 'pool' } })).rejects.toThrow(
    'namespace other is not served: its target cluster does not answer',
  );
  const lines = (await registry.metrics()).split('\n').filter((line) => /^[^#]/.test(line));
  expect(lines).toEqual([
    'millwright_front_passes_total{kube_namespace="shoot",outcome="current"} 1',
    'millwright_front_passes_total{kube_namespace="shoot",outcome="waits"} 1',
    'millwright_front_passes_total{kube_namespace="shoot",outcome="failed"} 1',
    'millwright_front_writes_total{kube_namespace="shoot"} 4',
    'millwright_front_leading{kube_namespace="shoot"} 1',
    'millwright_front_pending_seconds{kube_namespace="shoot"} 7',
  ]);
});
