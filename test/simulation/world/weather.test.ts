import { ApiServer } from '../../support/api-server/api-server.ts';
import type { Fate } from '../engine/journey.ts';
import { SimulatedProcess } from '../engine/process.ts';
import { Simulation } from '../engine/simulation.ts';
import { SimulatedKubeClient } from './kube-client.ts';
import { faultNames, troubleOf } from './trouble.ts';
import { toTemporal, Weather } from './weather.ts';

const nodes = '/api/v1/nodes';

function weatherOf(names: readonly string[], changes: Record<string, number> = {}) {
  const simulation = new Simulation(1);
  const weather = new Weather(simulation, { ...troubleOf(names), ...changes });
  const process = new SimulatedProcess(simulation, { name: 'one-watcher-1' });
  const cluster = { name: 'seed', server: new ApiServer(), isUp: true };
  const client = new SimulatedKubeClient({ simulation, process, weather, cluster });
  return { simulation, weather, process, cluster, client };
}

const countOf = (fates: readonly Fate[], isBad: (fate: Fate) => boolean): number =>
  fates.filter(isBad).length;

const calls = 5_000;

function fatesOf(names: readonly string[]): Fate[] {
  const { weather, process } = weatherOf(names);
  return Array.from({ length: calls }, () => weather.fateOf(process, 'Signal'));
}

const lossOf = ({ lost, isSilent }: Fate): string => `${lost} ${isSilent}`;

describe('the fate of calls', () => {
  test('has each fault about as often as its share says', () => {
    const fates = fatesOf(faultNames);
    const { lostCalls, doubledCalls, slowCalls, killedCalls } = troubleOf(faultNames);
    const found: [number, number][] = [
      [countOf(fates, ({ lost }) => lost !== undefined), lostCalls],
      [countOf(fates, ({ againAfterMs }) => againAfterMs !== undefined), doubledCalls],
      [countOf(fates, ({ requestMs }) => requestMs > 50), slowCalls],
      [countOf(fates, ({ answerMs }) => answerMs > 50), slowCalls],
      [countOf(fates, ({ kill }) => kill !== undefined), killedCalls],
    ];
    for (const [count, share] of found) {
      expect(count).toBeGreaterThan(calls * share * 0.5 - 3);
      expect(count).toBeLessThan(calls * share * 2 + 3);
    }
  });

  test('stays as it was without one of the faults', () => {
    const others = faultNames.filter((name) => name !== 'slowCalls');
    expect(fatesOf(others).map(lossOf)).toEqual(fatesOf(faultNames).map(lossOf));
  });

  test('overtakes others where a call arrives again minutes later', () => {
    const { weather, process } = weatherOf([], { doubledCalls: 0.5 });
    const again = Array.from({ length: 100 }, () => weather.fateOf(process, 'Signal')).map(
      ({ againAfterMs = 0 }) => againAfterMs,
    );
    expect(Math.max(...again)).toBeGreaterThan(60_000);
  });
});

const isQuick = (milliseconds: number): boolean => milliseconds < 10;
const timesOf = (fates: readonly Fate[]): number[] =>
  fates.flatMap(({ requestMs, answerMs }) => [requestMs, answerMs]);

describe('a server with too much to do', () => {
  const longestMs = 4_000;
  test('takes its time for the calls of all, and the other servers do not', () => {
    const { simulation, weather, process } = weatherOf([]);
    weather.overload({ of: 'seed', untilMs: simulation.now + 60_000, longestMs });
    const other = new SimulatedProcess(simulation, { name: 'one-watcher-2' });
    const askAll = (to?: string): Fate[] =>
      [process, other].flatMap((one) =>
        Array.from({ length: 100 }, () => weather.fateOf(one, 'GET /a', to)),
      );
    const slow = timesOf(askAll('seed'));
    expect(Math.max(...slow)).toBeGreaterThan(3_000);
    expect(Math.max(...slow)).toBeLessThan(longestMs + 10);
    expect(timesOf([...askAll('shoot'), ...askAll()]).every(isQuick)).toBe(true);
    expect(weather.isOverloaded('seed')).toBe(true);
  });

  test('is quick again after a while', async () => {
    const { simulation, weather, process } = weatherOf([]);
    const untilMs = simulation.now + 60_000;
    weather.overload({ of: toTemporal, untilMs, longestMs });
    await simulation.run(untilMs);
    expect(timesOf([weather.fateOf(process, 'Signal')]).every(isQuick)).toBe(true);
  });

  test('is quick again when the weather clears', () => {
    const { simulation, weather, process } = weatherOf([]);
    weather.overload({ of: toTemporal, untilMs: simulation.now + 60_000, longestMs });
    weather.clear();
    expect(timesOf([weather.fateOf(process, 'Signal')]).every(isQuick)).toBe(true);
    expect(weather.isOverloaded(toTemporal)).toBe(false);
  });
});

describe('a line that is cut', () => {
  test('loses the calls of one process to one server until its end', () => {
    const { simulation, weather, process } = weatherOf([]);
    const untilMs = simulation.now + 60_000;
    weather.cut({ process: process.name, to: 'seed', untilMs, isSilent: true });
    expect(weather.fateOf(process, 'GET /a', 'seed')).toMatchObject({
      lost: 'request',
      isSilent: true,
    });
    expect(weather.fateOf(process, 'GET /a', 'shoot').lost).toBeUndefined();
    expect(weather.fateOf(process, 'Signal').lost).toBeUndefined();
    const other = new SimulatedProcess(simulation, { name: 'one-watcher-2' });
    expect(weather.fateOf(other, 'GET /a', 'seed').lost).toBeUndefined();
  });

  test('is whole again then', async () => {
    const { simulation, weather, process } = weatherOf([]);
    const untilMs = simulation.now + 60_000;
    weather.cut({ process: process.name, to: 'seed', untilMs, isSilent: false });
    await simulation.run(untilMs);
    expect(weather.fateOf(process, 'GET /a', 'seed').lost).toBeUndefined();
  });

  test('ends the watches of the process with an error', async () => {
    const { simulation, weather, process, client } = weatherOf([]);
    const watching = endOf(client.watch(nodes, {}, new AbortController().signal));
    await simulation.run(simulation.now + 1_000);
    const untilMs = simulation.now + 60_000;
    weather.cut({ process: process.name, to: 'seed', untilMs, isSilent: false });
    await simulation.run(simulation.now + 1_000);
    await expect(watching).resolves.toContain('the watch broke');
  });

  test('that is silent holds events back', async () => {
    const { simulation, weather, process, client, cluster } = weatherOf([]);
    const heard: string[] = [];
    void endOf(client.watch(nodes, {}, new AbortController().signal), heard);
    await simulation.run(simulation.now + 1_000);
    const untilMs = simulation.now + 60_000;
    weather.cut({ process: process.name, to: 'seed', untilMs, isSilent: true });
    cluster.server.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } });
    await simulation.run(untilMs - 1);
    expect(heard).toEqual([]);
    await simulation.run(untilMs + 1_000);
    expect(heard[0]).toBe('ADDED');
  });

  test('that is silent for too long is given up with what it held back', async () => {
    const { simulation, weather, process, client, cluster } = weatherOf([]);
    const heard: string[] = [];
    const watching = endOf(client.watch(nodes, {}, new AbortController().signal), heard);
    await simulation.run(simulation.now + 1_000);
    const untilMs = simulation.now + 600_000;
    weather.cut({ process: process.name, to: 'seed', untilMs, isSilent: true });
    cluster.server.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } });
    let end = '';
    watching.then(
      (text) => (end = text),
      () => undefined,
    );
    await simulation.run(simulation.now + 100_000);
    expect(end).toContain('the watch broke');
    await simulation.run(untilMs + 1_000);
    expect(heard).toEqual([]);
  });
});

/** The message with which a watch breaks. */
async function endOf(
  events: AsyncIterable<{ type: string }>,
  heard: string[] = [],
): Promise<string> {
  try {
    for await (const { type } of events) heard.push(type);
    return '';
  } catch (error) {
    return String(error);
  }
}

test('a webhook refuses writes of a kind, on one cluster, until its end', async () => {
  const { simulation, weather } = weatherOf([]);
  const untilMs = simulation.now + 60_000;
  const verdict = { code: 403, reason: 'Forbidden', message: 'no' };
  weather.refuse({ cluster: 'seed', method: 'PATCH', pathPrefix: nodes, untilMs, verdict });
  expect(weather.refusalOf(`PATCH ${nodes}/a`, 'seed')).toBe(verdict);
  expect(weather.refusalOf(`GET ${nodes}/a`, 'seed')).toBeUndefined();
  expect(weather.refusalOf(`PATCH ${nodes}/a`, 'shoot')).toBeUndefined();
  await simulation.run(untilMs);
  expect(weather.refusalOf(`PATCH ${nodes}/a`, 'seed')).toBeUndefined();
});

test('a policy refuses by what is written', () => {
  const { simulation, weather } = weatherOf([]);
  const verdict = { code: 403, reason: 'Forbidden', message: 'no' };
  weather.refuse({
    cluster: 'seed',
    method: 'PATCH',
    pathPrefix: nodes,
    isMeant: (body) => Object(body).replicas === 0,
    verdict,
    untilMs: simulation.now + 60_000,
  });
  const call = `PATCH ${nodes}/a`;
  expect(weather.refusalOf(call, 'seed', { replicas: 0 })).toBe(verdict);
  expect(weather.refusalOf(call, 'seed', { replicas: 1 })).toBeUndefined();
  expect(weather.refusalOf(call, 'seed')).toBeUndefined();
});

async function listOf(query: Record<string, string>): Promise<number> {
  const { simulation, cluster, client } = weatherOf([], { staleLists: 1 });
  for (let index = 0; index < 40; index += 1) {
    const metadata = { name: `node-${index}` };
    cluster.server.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata });
  }
  const listing = client.list(nodes, query);
  await simulation.run(simulation.now + 1_000);
  return (await listing).items.length;
}

describe('a list', () => {
  test('that may be old is some changes behind', async () => {
    const length = await listOf({ resourceVersion: '0' });
    expect(length).toBeLessThan(40);
    expect(length).toBeGreaterThanOrEqual(20);
  });

  test('that must not be old is not', async () => {
    expect(await listOf({})).toBe(40);
  });
});

test('a fault that does not exist is refused', () => {
  expect(() => troubleOf(['earthquakes'])).toThrow(
    'fault "earthquakes": must be one of lostCalls, ',
  );
});

test('trouble of some names has these alone', () => {
  const trouble = troubleOf(['kills', 'lostCalls']);
  const present = faultNames.filter((name) => trouble[name] > 0);
  expect(present).toEqual(['lostCalls', 'kills']);
});

test('a policy changes what a process creates, in its collection and for its time', async () => {
  const { weather, simulation, cluster, client } = weatherOf([]);
  const create = async (name: string): Promise<object> => {
    const created = client.create(nodes, { metadata: { name, labels: { pool: 'a' } } });
    await simulation.run(simulation.now + 1_000);
    await created;
    return cluster.server.get(`${nodes}/${name}`);
  };
  const withoutLabels = { metadata: expect.not.objectContaining({ labels: expect.anything() }) };
  weather.alter({
    cluster: 'seed',
    path: nodes,
    untilMs: simulation.now + 60_000,
    alter: ({ metadata, ...body }) => ({ ...body, metadata: { name: metadata?.name ?? '' } }),
  });
  expect(weather.isAltered(nodes, 'seed')).toBe(true);
  expect(await create('a')).toMatchObject(withoutLabels);
  await simulation.run(simulation.now + 60_000);
  expect(await create('b')).toMatchObject({ metadata: { labels: { pool: 'a' } } });
});
