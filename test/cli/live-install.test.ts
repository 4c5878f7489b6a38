/** What `millwright watch` does where it may not read what it is to watch. */
import type { KubeList, Query, WatchEvent } from '../../kube/client/client.ts';
import { KubeError } from '../../kube/client/errors.ts';
import { LiveInstall } from '../../cli/watch/live-install.ts';
import { watch } from '../../cli/watch/watch.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import { InMemoryClient } from '../support/api-server/in-memory-client.ts';
import { aMachine } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';

function aFleetWithout(kind: string) {
  const kube = new InMemoryClient(aMachine());
  kube.fault = ({ path }) =>
    path.endsWith(`/${kind}`) ? { code: 403, reason: 'Forbidden' } : undefined;
  const said: string[] = [];
  const install = new LiveInstall({
    scope: { kube, namespace: 'shoot' },
    options: {},
    onChange: () => {},
    onError: (error) => said.push(reasonOf(error)),
  });
  return { install, said };
}

test('without the right to list machines it ends, and never shows that there are none', async () => {
  const { install } = aFleetWithout('machines');
  await expect(install.start()).rejects.toThrow('/machines: 403 Forbidden');
  expect(install.now()).toBeUndefined();
  await install.stop();
});

test('reports once that it may not list MachineClasses, and shows the rest', async () => {
  const { install, said } = aFleetWithout('machineclasses');
  await install.start();
  expect(install.now()?.machines).toHaveLength(1);
  expect(said).toEqual([expect.stringContaining('/machineclasses: 403 Forbidden')]);
  await install.stop();
});

/** Whose Events take as long as the test lets them, and whose watches it breaks. */
class SlowKube extends InMemoryClient {
  readonly #events = Promise.withResolvers<void>();
  isAway = false;

  answerEvents(): void {
    this.#events.resolve();
  }

  override async list<T>(path: string, query: Query = {}): Promise<KubeList<T>> {
    if (path.endsWith('/events')) await this.#events.promise;
    return await super.list<T>(path, query);
  }

  override async *watch<T>(
    path: string,
    query: Query,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<T>> {
    const end = new AbortController();
    const timer = setInterval(() => {
      if (this.isAway) end.abort();
    }, 10);
    try {
      yield* super.watch<T>(path, query, AbortSignal.any([signal, end.signal]));
    } finally {
      clearInterval(timer);
    }
    if (this.isAway) throw new KubeError({ ...away, method: 'WATCH', path });
  }
}

const away = { code: 0, reason: 'Unreachable', message: 'connection refused' };

function aSlowFleet() {
  const kube = new SlowKube(aMachine());
  kube.fault = () => (kube.isAway ? away : undefined);
  const install = new LiveInstall({
    scope: { kube, namespace: 'shoot' },
    options: {},
    onChange: () => {},
    onError: () => {},
  });
  return { kube, install };
}

test('one that is stopped while it begins reads no more', async () => {
  const { kube, install } = aSlowFleet();
  const starting = install.start();
  await eventually('it has listed', async () => kube.watchCount === 4);
  const intervals = jest.spyOn(globalThis, 'setInterval');
  await install.stop();
  kube.answerEvents();
  await starting;
  expect(intervals).not.toHaveBeenCalled();
  intervals.mockRestore();
});

test('knows since when the API server is away, until it answers', async () => {
  const { kube, install } = aSlowFleet();
  kube.answerEvents();
  await install.start();
  expect(install.awaySince).toBeUndefined();
  kube.isAway = true;
  await eventually('it is known', async () => install.awaySince !== undefined);
  kube.isAway = false;
  await eventually('it is over', async () => install.awaySince === undefined);
  await install.stop();
});

test('ended by Ctrl-C before the API server answered, it does not speak of 0 machines', async () => {
  const printed = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  const kube = new InMemoryClient();
  kube.list = async () => await new Promise<never>(() => undefined);
  const before = process.listenerCount('SIGINT');
  const watching = watch({ kube, namespace: 'shoot' }, {});
  await eventually('it listens', async () => process.listenerCount('SIGINT') > before);
  // Not those of the test run.
  process.listeners('SIGINT').at(-1)?.('SIGINT');
  await watching;
  expect(printed).not.toHaveBeenCalled();
  printed.mockRestore();
});
