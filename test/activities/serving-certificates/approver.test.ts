import type { ServingResult } from '../../../activities/serving-certificates/approver.ts';
import { ServingCertificates } from '../../../activities/serving-certificates/approver.ts';
import { readRequest } from '../../../activities/serving-certificates/request.ts';
import { listsOf } from '../../../activities/machine-set/machine-lists.ts';
import { recorderOf } from '../../../kube/objects/events.ts';
import { aMachine, aNode, namespace } from '../../support/builders.ts';
import { aRequest, aSigningRequest } from '../../support/certificate-requests.ts';
import { HandSystem } from '../../support/hand-system.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

// It is loaded by now: time stands still meanwhile.
beforeAll(() => void readRequest(''));

const readsOf = ({ calls }: InMemoryClient): string[] =>
  calls.filter((call) => call.includes('csr-1'));

const requestsPath = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const minuteMs = 60_000;

async function running(objects: { control?: object[]; target?: object[] }, turn = takesTurns()) {
  const system = new HandSystem();
  const control = new InMemoryClient(...(objects.control ?? []));
  const target = new InMemoryClient(...(objects.target ?? []));
  const results: ServingResult[] = [];
  const errors: unknown[] = [];
  const state = { mayAct: true };
  const approver = system.run(
    () =>
      new ServingCertificates({
        target,
        turn,
        onResult: (result) => void results.push(result),
        onError: (error) => void errors.push(error),
      }),
  );
  const serve = () =>
    system.run(() =>
      approver.serve({
        namespace,
        control,
        machines: listsOf(control),
        mayAct: () => state.mayAct,
        askCloud: async () => undefined,
      }),
    );
  return {
    system,
    control,
    target,
    results,
    errors,
    state,
    serve,
    approver,
    to: async (milliseconds: number) => await system.run(() => system.to(milliseconds)),
    conditions: async (name = 'csr-1') =>
      (
        await target.get<{ status?: { conditions?: { type: string }[] } }>(
          `${requestsPath}/${name}`,
        )
      ).status?.conditions ?? [],
  };
}

function takesTurns(asked: string[] = []) {
  return async <T>(requester: string, look: () => Promise<T>): Promise<T> => {
    asked.push(requester);
    return await look();
  };
}

const providerID = 'local:///a/i-1';
const machine = aMachine({
  metadata: { labels: { node: 'pool-a' } },
  spec: { class: { kind: 'MachineClass', name: 'small' }, providerID },
  status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
});
const node = aNode({ metadata: { name: 'pool-a' }, spec: { providerID } });
const sent = async (name = 'csr-1'): Promise<object> => aSigningRequest(await aRequest(), { name });

test('a request is approved once, and nothing is left of it', async () => {
  const world = await running({ control: [machine], target: [node, await sent()] });
  await world.to(minuteMs);
  expect(world.target.calls).toEqual([]);
  world.serve();
  await world.to(2 * minuteMs);
  expect(await world.conditions()).toMatchObject([
    {
      type: 'Approved',
      status: 'True',
      reason: 'ApprovedByMillwright',
      message:
        'Node pool-a is that of Machine shoot/pool-a, and the cloud reported these addresses',
    },
  ]);
  expect(world.results).toEqual([
    { result: 'approved', name: 'csr-1', requester: 'system:node:pool-a', machine: 'shoot/pool-a' },
  ]);
  const before = readsOf(world.target);
  await world.to(60 * minuteMs);
  expect(readsOf(world.target)).toEqual(before);
  expect(world.errors).toEqual([]);
});

test('what comes late is waited for, and what is in the request is not', async () => {
  const asked: string[] = [];
  const ofOthers = aSigningRequest(await aRequest(), { name: 'csr-2', spec: { groups: [] } });
  const turn = takesTurns(asked);
  const world = await running({ target: [await sent(), ofOthers] }, turn);
  world.serve();
  await world.to(20_000);
  expect(world.results).toEqual([
    {
      result: 'leftAlone',
      name: 'csr-2',
      requester: 'system:node:pool-a',
      reason: 'groups: must have system:nodes',
    },
  ]);
  await world.to(10 * minuteMs);
  const said = world.results.slice(1);
  expect(said).toMatchObject([{ name: 'csr-1', reason: 'no Machine of ours names Node pool-a' }]);
  const looks = asked.length;
  await world.to(60 * minuteMs);
  // Each few minutes, of one of the two.
  expect(asked.length - looks).toBeGreaterThanOrEqual(10);
  expect(asked.length - looks).toBeLessThanOrEqual(25);
  world.control.put(machine);
  world.target.put(node);
  await world.to(66 * minuteMs);
  expect(world.results.slice(2)).toMatchObject([{ name: 'csr-1', result: 'approved' }]);
  expect(await world.conditions('csr-2')).toEqual([]);
});

test('the Machine says why, once for each reason', async () => {
  const bare = { ...machine, status: {} };
  const world = await running({
    control: [bare],
    target: [node, await sent(), await sent('csr-2')],
  });
  world.serve();
  await world.to(60 * minuteMs);
  expect(world.results).toHaveLength(2);
  await recorderOf(world.control).close(0);
  const { items } = await world.control.list<{ message: string; count: number }>(
    `/api/v1/namespaces/${namespace}/events`,
  );
  expect(items.map(({ message, count }) => ({ message, count }))).toEqual([
    {
      message:
        'The request for a serving certificate of the kubelet is left alone: the cloud reported no address for Machine pool-a',
      count: 2,
    },
  ]);
});

test('nothing is approved, or said, while all is stopped; then it is', async () => {
  const world = await running({ control: [machine], target: [node, await sent()] });
  world.state.mayAct = false;
  world.serve();
  await world.to(10 * minuteMs);
  expect(await world.conditions()).toEqual([]);
  expect(world.results).toEqual([]);
  world.state.mayAct = true;
  await world.to(11 * minuteMs);
  expect(await world.conditions()).toHaveLength(1);
});

test('two processes approve once', async () => {
  const world = await running({ control: [machine], target: [node, await sent()] });
  const errors: unknown[] = [];
  const other = world.system.run(
    () =>
      new ServingCertificates({
        target: world.target,
        turn: takesTurns(),
        onResult: (result) => void world.results.push(result),
        onError: (error) => void errors.push(error),
      }),
  );
  world.serve();
  const { control } = world;
  const lists = listsOf(control);
  world.system.run(() =>
    other.serve({
      namespace,
      control,
      machines: lists,
      mayAct: () => true,
      askCloud: async () => [],
    }),
  );
  await world.to(10 * minuteMs);
  expect(await world.conditions()).toHaveLength(1);
  expect(world.results).toMatchObject([{ result: 'approved' }]);
  expect([...errors, ...world.errors]).toEqual([]);
});

test('a failed look is tried again, and one that another approver decided is over', async () => {
  const world = await running({
    control: [machine],
    target: [node, await sent(), await sent('csr-2')],
  });
  const answers = { code: 503, reason: 'ServiceUnavailable', message: 'later' };
  let isAway = true;
  world.target.fault = ({ method }) => (isAway && method === 'PUT' ? answers : undefined);
  world.serve();
  await world.to(20_000);
  expect(world.errors.length).toBeGreaterThan(2);
  const denied = { type: 'Denied', status: 'True', reason: 'No' };
  await world.target.patch(`${requestsPath}/csr-2/status`, 'merge', {
    status: { conditions: [denied] },
  });
  isAway = false;
  await world.to(5 * minuteMs);
  expect(world.results).toMatchObject([{ result: 'approved', name: 'csr-1' }]);
  expect(await world.conditions('csr-2')).toMatchObject([denied]);
});

test('a namespace that comes later has all looked at anew; one that went does not count', async () => {
  const world = await running({ control: [machine], target: [node, await sent()] });
  const end = world.serve();
  end();
  await world.to(10 * minuteMs);
  expect(await world.conditions()).toEqual([]);
  world.serve();
  await world.to(10 * minuteMs + 1_000);
  expect(await world.conditions()).toHaveLength(1);
  await world.approver.close();
});
