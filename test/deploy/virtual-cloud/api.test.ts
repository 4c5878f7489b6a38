/** The HTTP API over the wire, without a cluster. */
import { eventually } from '../../support/eventually.ts';
import { aCloud, type CallResult, type TestCloud } from './a-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await aCloud();
});
afterAll(() => cloud.close());

function create(name: string, more: object = {}): Promise<CallResult> {
  return cloud.call('POST', '/instances', { name, token: `token-of-${name}`, ...more });
}

async function addFault(fault: object): Promise<void> {
  const { status } = await cloud.call('POST', '/faults', fault);
  expect(status).toBe(200);
}

async function idOf(name: string): Promise<string> {
  return (await cloud.instances(`name=${name}`))[0]?.id ?? 'none';
}

const errorOf = ({ body }: CallResult): unknown => body['error'];

describe('machines', () => {
  test('a machine is created once per token, and described as it was asked for', async () => {
    const first = await create('once', { zone: 'b', size: 'large', tags: { team: 'x' } });
    expect(first).toMatchObject({
      status: 201,
      body: {
        known: false,
        instance: { name: 'once', zone: 'b', size: 'large', tags: { team: 'x' } },
      },
    });
    const second = await create('once', { tags: { team: 'x' }, size: 'large', zone: 'b' });
    const id = await idOf('once');
    expect(second).toMatchObject({
      status: 200,
      body: { known: true, instance: { id } },
    });
    expect(await cloud.instances('name=once')).toMatchObject([{ providerID: `local:///b/${id}` }]);
  });

  test('lists are filtered by name, prefix, token and tags; deleted machines on request', async () => {
    await create('list-1', { tags: { a: '1', b: '2' } });
    await create('list-2', { tags: { a: '1' } });
    await cloud.call('DELETE', `/instances/${await idOf('list-2')}`);
    const names = async (query: string): Promise<string[]> => {
      return (await cloud.instances(query)).map(({ name }) => name);
    };
    expect(await names('name=list-1')).toEqual(['list-1']);
    expect(await names('namePrefix=list-')).toEqual(['list-1']);
    expect(await names('namePrefix=list-&deleted=true')).toEqual(['list-1', 'list-2']);
    expect(await names('token=token-of-list-1')).toEqual(['list-1']);
    expect(await names('tag=a%3D1&tag=b%3D2')).toEqual(['list-1']);
    expect(await names('tag=a%3D2')).toEqual([]);
  });

  test('a machine runs once it has booted, and its disk goes with it', async () => {
    await create('boots');
    const id = await idOf('boots');
    await eventually('it runs', async () => {
      return (await cloud.instances('name=boots'))[0]?.state === 'running';
    });
    const disk = expect.objectContaining({ id: `${id}-root`, instanceName: 'boots' });
    expect((await cloud.call('GET', '/volumes')).body['volumes']).toContainEqual(disk);
    await cloud.call('DELETE', `/instances/${id}`);
    expect((await cloud.call('GET', '/volumes')).body['volumes']).not.toContainEqual(disk);
  });
});

describe('bad requests', () => {
  test.each([
    ['no name', { token: 't' }, 'name: nothing is not a text that is not empty'],
    [
      'an unknown size',
      { name: 'bad', token: 't', size: 'huge' },
      'size: "huge" is not one of small, medium, large',
    ],
    [
      'a tag that is a number',
      { name: 'bad', token: 't', tags: { a: 1 } },
      'tags: {"a":1} is not an object whose values are texts',
    ],
    [
      'a taint without a key',
      { name: 'bad', token: 't', taints: [{ effect: 'NoSchedule' }] },
      'taints[0].key: nothing is not a text that is not empty',
    ],
    ['half a document', '{"name":', String.raw`body: "{\"name\":" is not JSON`],
  ])('%s: 400 names field and value', async (_name, body, says) => {
    const answer = await cloud.call('POST', '/instances', body);
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ code: 'InvalidArgument', message: says });
  });

  test.each([
    { path: '/instances?nmae=x', status: 400, says: 'nmae: unknown parameter' },
    { path: '/instances?tag=x', status: 400, says: 'tag: "x" is not of the form key=value' },
    { path: '/events?since=x', status: 400, says: 'since: "x" is not a whole number' },
    { path: '/elsewhere', status: 404, says: '/elsewhere is not one of /instances' },
    { path: '/instances/i/reboot', status: 404, says: '/instances/i/reboot is not one of' },
    { path: '/faults/x', status: 405, says: 'GET /faults/x: allowed is DELETE' },
  ])('$path: $status says what is possible', async ({ path, status, says }) => {
    const answer = await cloud.call('GET', path);
    expect(answer.status).toBe(status);
    expect(errorOf(answer)).toMatchObject({ message: expect.stringContaining(says) });
  });
});

describe('faults', () => {
  test('hang makes nothing and breaks the connection in the end', async () => {
    await addFault({ kind: 'hang', match: 'hangs', seconds: 0.05, times: 1 });
    await expect(create('hangs')).rejects.toThrow('fetch failed');
    expect(await idOf('hangs')).toBe('none');
  });

  test('loseAnswer does the work and drops the connection', async () => {
    await addFault({ kind: 'loseAnswer', operation: 'create', match: 'lost', times: 1 });
    await expect(create('lost')).rejects.toThrow('fetch failed');
    expect(await idOf('lost')).toMatch(/^i-/);
    expect((await create('lost')).body['known']).toBe(true);
  });

  test('loseAnswer with seconds does the work at once, and keeps silent for so long', async () => {
    await addFault({ kind: 'loseAnswer', match: 'mute', seconds: 3_600, times: 1 });
    let hasEnded = false;
    const end = (): void => {
      hasEnded = true;
    };
    void create('mute').then(end, end);
    await eventually('the work is done', async () => (await idOf('mute')) !== 'none');
    expect((await create('mute')).body['known']).toBe(true);
    expect(hasEnded).toBe(false);
  });

  test.each([
    { kind: 'quota', reason: 'QuotaExceeded' },
    { kind: 'zoneFull', reason: 'ZoneFull' },
  ])('$kind refuses new machines and still knows its tokens', async ({ kind, reason }) => {
    await create(`${kind}-old`);
    await addFault({ kind, match: `${kind}-*` });
    expect(errorOf(await create(`${kind}-new`))).toMatchObject({
      code: 'ResourceExhausted',
      reason,
    });
    expect((await create(`${kind}-old`)).body['known']).toBe(true);
  });

  test('a machine that is to vanish is gone after its time', async () => {
    await addFault({ kind: 'vanish', match: 'vanishes', seconds: 0.05 });
    await create('vanishes');
    await eventually('it is gone', async () => (await idOf('vanishes')) === 'none');
    expect(await cloud.instances('name=vanishes&deleted=true')).toMatchObject([
      { state: 'deleted' },
    ]);
  });

  test('faults are added, counted, and taken away singly', async () => {
    await addFault({ kind: 'error', match: 'mine', times: 1 });
    await addFault({ kind: 'error', match: 'other' });
    await create('mine');
    const { body } = await cloud.call('GET', '/faults');
    expect(body['faults']).toContainEqual(expect.objectContaining({ match: 'mine', fired: 1 }));
    const { body: left } = await cloud.call('DELETE', '/faults?match=mine');
    expect(left['faults']).not.toContainEqual(expect.objectContaining({ match: 'mine' }));
    expect(left['faults']).toContainEqual(expect.objectContaining({ match: 'other' }));
  });
});

describe('the judge', () => {
  test('calls are counted by name, and a bad request counts as well', async () => {
    await create('judged');
    await create('judged');
    await create('judged', { size: 'huge' });
    expect((await cloud.call('GET', '/calls?match=judged')).body).toEqual({
      operations: { create: { created: 1, known: 1, InvalidArgument: 1 } },
      createsFromKnownToken: 1,
      machinesPerToken: { max: 1, offenders: {} },
      createsPerName: { judged: 1 },
      vanishedPerName: {},
    });
  });

  test('events are numbered without gaps and can be read on from a number', async () => {
    const { body } = await cloud.call('GET', '/events?since=3&limit=2');
    expect(body).toMatchObject({ events: [{ seq: 4 }, { seq: 5 }], next: 5 });
  });
});
