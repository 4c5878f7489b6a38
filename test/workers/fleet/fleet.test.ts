import { Registry } from 'prom-client';
import type { Config } from '../../../workers/config/config.ts';
import { Fleet } from '../../../workers/fleet/fleet.ts';
import type { Attempt } from '../../../workers/fleet/served-namespace.ts';
import { createShutdown } from '../../../workers/process/shutdown.ts';
import { ClaimRefusal } from '../../../workers/temporal/claims.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { eventually } from '../../support/eventually.ts';
import { logLines } from '../log/log-lines.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const named = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

interface Options {
  namespaces: Config['namespaces'];
  target?: Config['target'];
  control?: InMemoryClient;
  serve(attempt: Attempt): Promise<void>;
}

function begin(options: Options) {
  const { namespaces, target = 'none', control = new InMemoryClient(), serve } = options;
  const { log, lines } = logLines();
  const ended = Promise.withResolvers<number>();
  const host = { on: () => undefined, exit: ended.resolve };
  const shutdown = createShutdown({ log, graceSeconds: 5, host });
  stops.push(() => {
    shutdown.begin('the test is over');
    return ended.promise.then(() => undefined);
  });
  const registry = new Registry();
  const reasons: string[] = [];
  const fleet = new Fleet({
    config: { namespaces, target },
    control,
    log,
    registry,
    shutdown,
    serve,
    onReason: (namespace, reason) => void reasons.push(`${namespace}: ${reason ?? 'served'}`),
  });
  const served = async (): Promise<Record<string, number>> => {
    const { values } = (await registry.getSingleMetric('millwright_namespace_served')?.get()) ?? {
      values: [],
    };
    return Object.fromEntries(values.map(({ labels, value }) => [labels['kube_namespace'], value]));
  };
  return { fleet, served, reasons, lines, ended: ended.promise };
}

test('one that cannot be served harms no other, and the fleet is settled without it', async () => {
  const { fleet, served, reasons } = begin({
    namespaces: { kind: 'list', names: ['a', 'broken'] },
    async serve({ namespace }) {
      if (namespace === 'broken') throw new Error('no kubeconfig');
    },
  });
  await fleet.settled();
  expect(await served()).toEqual({ a: 1, broken: 0 });
  expect(reasons.toSorted()).toEqual(['a: served', 'broken: no kubeconfig']);
  expect(fleet.whyNotServed('broken')).toBe('no kubeconfig');
  expect(fleet.fault()).toBeUndefined();
});

test('a fleet of which no namespace is served says why', async () => {
  const { fleet } = begin({
    namespaces: { kind: 'list', names: ['a'] },
    async serve() {
      throw new Error('no rights');
    },
  });
  await fleet.settled();
  expect(fleet.fault()).toBe('no namespace is served: no rights');
});

test('a namespace that goes is closed, and one that comes again is opened again', async () => {
  const control = new InMemoryClient(named('a'), named('b'));
  const happened: string[] = [];
  const { fleet, served, reasons } = begin({
    namespaces: { kind: 'selected', labels: '' },
    control,
    async serve({ namespace, scope }) {
      happened.push(`open ${namespace}`);
      scope.add('end', () => void happened.push(`close ${namespace}`));
    },
  });
  await fleet.settled();
  expect(await served()).toEqual({ a: 1, b: 1 });
  await control.delete('/api/v1/namespaces/a');
  await eventually('a is closed', async () => happened.includes('close a'));
  await eventually('a is not counted', async () => !('a' in (await served())));
  expect(happened).not.toContain('close b');
  // Its users need no Event of what was done on purpose.
  expect(reasons.toSorted()).toEqual(['a: served', 'b: served']);
  control.put(named('a'));
  await eventually('a is served again', async () => (await served())['a'] === 1);
  expect(happened.filter((one) => one === 'open a')).toHaveLength(2);
});

test('a namespace that comes again and goes once more while it is closed stays closed', async () => {
  const control = new InMemoryClient(named('a'), named('b'));
  const happened: string[] = [];
  const closing = Promise.withResolvers<void>();
  const { fleet, served } = begin({
    namespaces: { kind: 'selected', labels: '' },
    control,
    async serve({ namespace, scope }) {
      happened.push(`open ${namespace}`);
      if (namespace === 'a') scope.add('end', () => closing.promise);
    },
  });
  await fleet.settled();
  await control.delete('/api/v1/namespaces/a');
  control.put(named('a'));
  await control.delete('/api/v1/namespaces/a');
  control.put(named('c'));
  await eventually('all that was heard', async () => happened.includes('open c'));
  closing.resolve();
  await eventually('a is not counted', async () => !('a' in (await served())));
  control.put(named('d'));
  await eventually('d is served', async () => (await served())['d'] === 1);
  expect(happened).toEqual(['open a', 'open b', 'open c', 'open d']);
});

const refusal = new ClaimRefusal(
  { workflowId: 'claim', holder: 'us', what: 'Namespace a', advice: 'Serve another.' },
  'them',
);

test('a claim that is refused ends the process of one namespace, and only waits in a fleet', async () => {
  const serve = async (): Promise<void> => {
    throw refusal;
  };
  const one = begin({ namespaces: { kind: 'one', name: 'a' }, serve });
  await expect(one.fleet.settled()).rejects.toBe(refusal);
  const many = begin({ namespaces: { kind: 'list', names: ['a'] }, serve });
  await many.fleet.settled();
  expect(many.fleet.whyNotServed('a')).toContain('already claimed by them');
});

const targetSecret = (server: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'target', namespace: 'a' },
  data: { kubeconfig: btoa(kubeconfigFor(server)) },
});

const kubeconfigFor = (server: string): string =>
  JSON.stringify({
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user: { token: 't' } }],
  });

test('a claim that is refused when the only namespace is served anew ends the process too', async () => {
  const control = new InMemoryClient(targetSecret('https://one'));
  let attempts = 0;
  const { fleet, ended, lines } = begin({
    namespaces: { kind: 'one', name: 'a' },
    target: { kind: 'secret', name: 'target' },
    control,
    async serve() {
      attempts += 1;
      if (attempts > 1) throw refusal;
    },
  });
  await fleet.settled();
  control.put(targetSecret('https://two'));
  expect(await ended).toBe(1);
  expect(JSON.stringify(lines)).toContain('already claimed by them');
});

test('the only namespace is waited for through other failures', async () => {
  let attempts = 0;
  const { fleet, reasons } = begin({
    namespaces: { kind: 'one', name: 'a' },
    async serve() {
      attempts += 1;
      if (attempts < 3) throw new Error('no answer');
    },
  });
  await fleet.settled();
  expect(attempts).toBe(3);
  // Its users read the log of the process.
  expect(reasons).toEqual([]);
});

test('while it is not settled it says what for', async () => {
  const one = begin({
    namespaces: { kind: 'one', name: 'a' },
    serve: () => Promise.reject(new Error('Secret a/target does not exist')),
  });
  const why = 'namespace a is not served: Secret a/target does not exist';
  await eventually('it says it of its namespace', async () => one.fleet.whyNotSettled() === why);
  const control = new InMemoryClient(named('a'));
  control.fault = () => ({ code: 403, reason: 'Forbidden', message: 'no rights' });
  const all = begin({
    namespaces: { kind: 'selected', labels: '' },
    control,
    serve: async () => undefined,
  });
  await eventually('it says it of the Namespaces', async () =>
    /^the Namespaces cannot be read: .*no rights/.test(all.fleet.whyNotSettled() ?? ''),
  );
  control.fault = () => undefined;
  await all.fleet.settled();
  expect(all.fleet.whyNotSettled()).toBeUndefined();
});
