/** The simulated cloud answers as the virtual cloud does, to the calls that drivers make. */
import type { CallResult, TestCloud } from '../../deploy/virtual-cloud/a-cloud.ts';
import { aCloud } from '../../deploy/virtual-cloud/a-cloud.ts';
import { testSeed } from '../../support/seed.ts';
import { Chance } from '../engine/chance.ts';
import { aSimulatedCloud } from './a-simulated-cloud.ts';
import type { ASimulatedCloud } from './a-simulated-cloud.ts';
import { RandomCalls } from './random-calls.ts';
import type { RandomCall } from './random-calls.ts';

const calls = 300;

let real: TestCloud;
beforeAll(async () => {
  real = await aCloud();
  // In the simulation kubelets say when an instance runs; here there are none.
  await real.call('PUT', '/settings', { bootSeconds: 3_600 });
});
afterAll(() => real.close());

interface Answer {
  status: number;
  body: unknown;
}

/** What one of the two clouds calls its instances, in the order of their creation. */
class Side {
  readonly ids: string[] = [];

  /** With an id of this cloud in place of a number. */
  pathOf({ path, instance }: RandomCall): string {
    return path.replace('ID', instance === undefined ? 'i-none' : (this.ids[instance] ?? 'i-none'));
  }

  /** Without what differs between clouds that answer alike: ids, times, the state of Nodes. */
  normalised(status: number, body: unknown): Answer {
    const text = JSON.stringify(body);
    const [, id] = /"id":"(i-[0-9a-f]{16})"/.exec(text) ?? [];
    if (id !== undefined && !this.ids.includes(id)) this.ids.push(id);
    const numbered = text.replaceAll(/i-[0-9a-f]{16}/g, (found) => `ID-${this.ids.indexOf(found)}`);
    const timeless = numbered.replaceAll(/"20\d\d-[^"]*Z"/g, '"TIME"');
    return { status, body: JSON.parse(timeless.replaceAll(',"isNodeStopped":true', '')) };
  }
}

async function ask(
  { done, transport }: ASimulatedCloud,
  { method, body }: RandomCall,
  path: string,
): Promise<Answer> {
  const { signal } = new AbortController();
  const { statusCode, text } = await done(() => transport({ method, path, body, signal }));
  return { status: statusCode, body: JSON.parse(text) };
}

test('random calls are answered alike', async () => {
  const simulated = aSimulatedCloud();
  const sides = { real: new Side(), simulated: new Side() };
  const random = new RandomCalls(new Chance(testSeed()));
  const statuses = new Set<number>();
  for (let count = 0; count < calls; count += 1) {
    const call = random.next(sides.real.ids.length);
    const [expected, found]: [CallResult, Answer] = await Promise.all([
      real.call(call.method, sides.real.pathOf(call), call.body),
      ask(simulated, call, sides.simulated.pathOf(call)),
    ]);
    const wanted = sides.real.normalised(expected.status, expected.body);
    expect({ call, ...sides.simulated.normalised(found.status, found.body) }).toEqual({
      call,
      ...wanted,
    });
    statuses.add(wanted.status);
  }
  expect(statuses).toEqual(new Set([200, 201, 400, 404, 409]));
});
