import { IllegalStateError } from '@temporalio/common';
import { createVirtualDriver } from '../../../activities/drivers/virtual/driver.ts';
import { DriverWorkers, watchProviders } from '../../../workers/temporal/driver-workers.ts';
import { aMachineClass, namespace } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const isOver = (): Promise<void> => Promise.resolve();
let serving: DriverWorkers | undefined;
let stopClasses: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stopClasses?.();
  await serving?.stop();
});

interface Served {
  prepare?: () => Promise<void>;
  atOnce?: string[];
}

/** What happens to the drivers of two providers, in order. */
function serve(kube: InMemoryClient, { prepare = isOver, atOnce = [] }: Served = {}) {
  const happened: string[] = [];
  const driverOf = (provider: string) => ({
    ...createVirtualDriver({ url: undefined }),
    async prepare() {
      happened.push(`load ${provider}`);
      await prepare();
    },
  });
  const workers = new DriverWorkers({
    drivers: new Map(['virtual', 'AWS'].map((provider) => [provider, driverOf(provider)])),
    isAtOnce: (provider) => atOnce.includes(provider),
    async createWorkers(provider) {
      happened.push(`poll for ${provider}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      return [{ run: () => promise, shutdown: resolve }];
    },
    onStart: () => undefined,
  });
  serving = workers;
  const classes = workers.waitsForClasses
    ? watchProviders({
        control: kube,
        namespace,
        onProvider: (provider) => workers.serve(provider),
        onError: () => undefined,
      })
    : undefined;
  const ready = async (): Promise<void> => {
    await classes?.synced;
    await workers.ready();
  };
  stopClasses = async () => await classes?.stop();
  return { workers, happened, ready };
}

test('a driver is loaded before its queues are polled, and no other is', async () => {
  const { ready, happened } = serve(new InMemoryClient(aMachineClass({ provider: 'virtual' })));
  await ready();
  expect(happened).toEqual(['load virtual', 'poll for virtual']);
});

test('the first class of another provider starts its driver, once', async () => {
  const kube = new InMemoryClient(aMachineClass({ provider: 'virtual' }));
  const { ready, happened } = serve(kube);
  await ready();
  for (const name of ['a', 'b']) kube.put(aMachineClass({ metadata: { name }, provider: 'AWS' }));
  kube.put(aMachineClass({ metadata: { name: 'c' }, provider: 'elsewhere' }));
  await eventually('AWS is served', async () => happened.includes('poll for AWS'));
  expect(happened.slice(2)).toEqual(['load AWS', 'poll for AWS']);
});

test('a driver that is named starts without a class, and once', async () => {
  const kube = new InMemoryClient(aMachineClass({ provider: 'AWS' }));
  const { ready, happened } = serve(kube, { atOnce: ['AWS'] });
  await ready();
  expect(happened).toEqual(['load AWS', 'poll for AWS']);
});

test('where all drivers are named no MachineClass is read', async () => {
  const kube = new InMemoryClient(aMachineClass({ provider: 'virtual' }));
  const { ready } = serve(kube, { atOnce: ['AWS', 'virtual'] });
  await ready();
  expect(kube.calls).toEqual([]);
});

test('a driver that cannot be loaded is reported, so that the process ends', async () => {
  const fault = new Error('no such module');
  const kube = new InMemoryClient(aMachineClass({ provider: 'AWS' }));
  const { workers, happened } = serve(kube, { prepare: () => Promise.reject(fault) });
  expect(await workers.failed).toBe(fault);
  expect(happened).toEqual(['load AWS']);
});

test('a driver that is loaded while the process ends polls nothing', async () => {
  const loading = Promise.withResolvers<void>();
  const kube = new InMemoryClient(aMachineClass({ provider: 'AWS' }));
  const { workers, happened } = serve(kube, { prepare: () => loading.promise });
  await eventually('it is being loaded', async () => happened.length === 1);
  const stopped = workers.stop();
  loading.resolve();
  await stopped;
  expect(happened).toEqual(['load AWS']);
});

test('workers end also beside one that has failed, and are waited for', async () => {
  const failed = { run: () => Promise.reject(new Error('stuck')), shutdown: hasFailed };
  const { promise, resolve } = Promise.withResolvers<void>();
  let hasEnded = false;
  const running = {
    run: async () => {
      await promise;
      hasEnded = true;
    },
    shutdown: resolve,
  };
  const workers = new DriverWorkers({
    drivers: new Map([['virtual', createVirtualDriver({ url: undefined })]]),
    isAtOnce: () => true,
    createWorkers: async () => [failed, running],
    onStart: () => undefined,
  });
  await workers.failed;
  await workers.stop();
  expect(hasEnded).toBe(true);
});

/** As the SDK does it. */
function hasFailed(): never {
  throw new IllegalStateError('Not running. Current state: FAILED');
}
