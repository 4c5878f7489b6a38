/** Whether the comparison of two API servers notices what is different: without a real one. */
import type { ApiServerOptions } from '../../support/api-server/api-server.ts';
import { HttpApiServer } from '../../support/api-server/http-api-server.ts';
import { Chance } from '../engine/chance.ts';
import { firstDifference } from './compare.ts';
import { drawSteps } from './draw.ts';
import type { SideOptions } from './side.ts';
import type { Step } from './steps.ts';

const options = { inWholeSeconds: true, gracefulPods: true, crds: true };
const steps = drawSteps({ seed: 5, count: 400, round: 100, roundsOfCompaction: 2 });
/** For events that never come. */
const patienceMs = 200;
const open: HttpApiServer[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.stop()));
});

/** Versions and UIDs are its own. */
async function aServer(seed: number, changes: ApiServerOptions = {}): Promise<HttpApiServer> {
  const chance = new Chance(seed);
  const server = await HttpApiServer.start({ ...options, uuid: () => chance.uuid(), ...changes });
  open.push(server);
  for (let ahead = 0; ahead < seed; ahead += 1) server.bookmark();
  return server;
}

function sideOf(server: HttpApiServer): SideOptions {
  return {
    kubeConfig: server.kubeConfig,
    compact: async () => server.forget(Number(server.version) + 1),
    close: async () => undefined,
  };
}

test('a seed stands for the same steps each time, and they are of all kinds', () => {
  expect(drawSteps({ seed: 5, count: 400, round: 100, roundsOfCompaction: 2 })).toEqual(steps);
  const done = new Set(steps.map((step) => (step.do === 'call' ? step.call.method : step.do)));
  const all = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'watch', 'settle', 'compact'];
  expect([...done].toSorted()).toEqual(all.toSorted());
});

test('two servers that make up other UIDs and versions answer alike', async () => {
  const [one, two] = [await aServer(1), await aServer(70)];
  expect(await firstDifference(steps, [sideOf(one), sideOf(two)])).toBeUndefined();
});

describe('a difference is found', () => {
  test.each([
    { what: 'in the grace of pods', changes: { gracefulPods: false } },
    { what: 'in what is pruned and refused', changes: { crds: false } },
    { what: 'in how far back it goes', changes: { keptChanges: 1 } },
  ])('$what', async ({ changes }) => {
    const [one, two] = [await aServer(1), await aServer(2, changes)];
    expect(await firstDifference(steps, [sideOf(one), sideOf(two)], patienceMs)).toBeDefined();
  });

  test('in an answer, with both of them', async () => {
    const [one, two] = [await aServer(1), await aServer(2)];
    const call = { method: 'GET', path: '/api/v1/nodes' } as const;
    const step: Step = { do: 'call', call };
    two.respond = () => ({ code: 429 });
    expect(await firstDifference([step], [sideOf(one), sideOf(two)])).toEqual({
      at: 0,
      step,
      answers: [expect.objectContaining({ code: 200 }), { code: 429, body: {} }],
    });
  });

  test('in the events of a watch, with what opened it', async () => {
    const [one, two] = [await aServer(1), await aServer(2)];
    const watch: Step = { do: 'watch', path: '/api/v1/nodes', query: {} };
    two.put({ kind: 'Node', metadata: { ...metadata, name: 'a' } });
    const sides = [sideOf(one), sideOf(two)] as const;
    const found = await firstDifference([watch, { do: 'settle' }], sides, patienceMs);
    expect(found).toMatchObject({ at: 1, opened: watch, answers: [[], [{ type: 'ADDED' }]] });
  });
});

const metadata = { uid: 'u', resourceVersion: '', creationTimestamp: '2026-01-01T00:00:00Z' };
