/** Listing, and deleting what was listed. */
import type { Compute } from '../../../../activities/drivers/gcp/compute.ts';
import { listZone } from '../../../../activities/drivers/gcp/list.ts';
import type { CreateRequest } from '../../../../activities/drivers/driver.ts';
import { aSharedGcpWorld, aSpec, gcpRequest, idOf, project, zone } from './gcp-world.ts';
import { failureOf } from '../failure-of.ts';

const world = await aSharedGcpWorld();
beforeEach(() => {
  world.double.cloud.instances = [];
  world.double.cloud.disks = [];
});

const request = { ...gcpRequest('any'), namespace: 'shoot' };

/** Straight into the cloud; without labels it is as MCM makes it. */
function put(name: string, more: object = {}): void {
  const body = {
    name,
    machineType: 'any',
    disks: [],
    networkInterfaces: [],
    tags: { items: aSpec.tags },
    ...more,
  };
  const begin = { requestId: undefined, now: Date.now() - 60_000, faults: [] };
  world.double.cloud.insert({ project, zone }, body, begin);
}

const labels = (cluster: string, namespace: string, token: string) => ({
  labels: {
    'millwright-cluster': cluster,
    'millwright-namespace': namespace,
    'millwright-token': token,
  },
});

const unused = async (): Promise<never> => {
  throw new Error('not asked for');
};

describe('list', () => {
  test('shows ours and those of MCM, in order, with token and time', async () => {
    const before = Date.now();
    put('of-mcm');
    await world.driver.createInstance(gcpRequest('b-ours'));
    await world.driver.createInstance(gcpRequest('a-ours'));
    put('of-another-cluster', labels('cluster-2', 'shoot', 't'));
    put('of-another-namespace', labels('cluster-1', 'elsewhere', 't'));
    put('of-another-mcm', {
      tags: { items: ['kubernetes-io-cluster-x', 'kubernetes-io-role-node'] },
    });
    put('of-another-role', {
      ...labels('cluster-1', 'shoot', 't'),
      tags: { items: ['kubernetes-io-cluster-shoot', 'kubernetes-io-role-other'] },
    });
    put('of-nobody', { tags: {} });
    const listed = await world.driver.listInstances(request);
    expect(listed).toEqual([
      {
        providerID: idOf('a-ours'),
        machineName: 'a-ours',
        token: 'uid-of-a-ours-0',
        createdAt: expect.any(Number),
      },
      expect.objectContaining({ providerID: idOf('b-ours'), machineName: 'b-ours' }),
      { providerID: idOf('of-mcm'), machineName: 'of-mcm', createdAt: expect.any(Number) },
    ]);
    expect(listed[0]?.createdAt).toBeGreaterThanOrEqual(before);
  });

  test('reads all pages', async () => {
    for (let index = 0; index < 1_203; index += 1) put(`many-${index}`);
    const before = world.double.calls.length;
    expect(await world.driver.listInstances(request)).toHaveLength(1_203);
    expect(world.double.calls.length - before).toBe(3);
  });

  test('a page that fails fails the list: a part of it would say that the rest is gone', async () => {
    for (let index = 0; index < 600; index += 1) put(`half-${index}`);
    world.double.faults.add({
      kind: 'error',
      operation: 'list',
      skip: 1,
      status: 503,
      reason: 'backendError',
    });
    expect(await failureOf(world.driver.listInstances(request))).toMatchObject({
      code: 'Unavailable',
    });
  });

  test('a list that does not end is not read for ever', async () => {
    let pages = 0;
    const list: Compute['list'] = async () => {
      pages += 1;
      return { instances: [], nextPageToken: 'more' };
    };
    const others = { get: unused, insert: unused, delete: unused, serialOutput: unused };
    const compute = { list, ...others, operation: unused, setLabels: unused };
    const listing = listZone({ compute, project }, zone, request.signal);
    expect(await failureOf(listing)).toMatchObject({
      message: expect.stringContaining('does not end'),
    });
    expect(pages).toBe(200);
  });

  test('a class without the two tags cannot be listed: the list would be empty', async () => {
    const providerSpec = { ...aSpec, tags: ['shoot'] };
    const failure = await failureOf(world.driver.listInstances({ ...request, providerSpec }));
    expect(failure).toMatchObject({
      code: 'InvalidArgument',
      message: expect.stringContaining('providerSpec.tags'),
    });
  });
});

describe('deleteListed', () => {
  test('deletes one instance and its disks, if it is ours', async () => {
    const machine = { namespace: 'shoot', name: 'surplus', uid: 'u' };
    const more: Partial<CreateRequest> = { machine };
    await world.driver.createInstance(gcpRequest('surplus', more));
    put('foreign', labels('cluster-2', 'shoot', 't'));
    const remove = (name: string) =>
      world.driver.deleteListed({ ...request, providerID: idOf(name) });
    expect(await remove('foreign')).toEqual({ found: false });
    expect(await remove('surplus')).toEqual({ found: true });
    expect(await remove('surplus')).toEqual({ found: false });
    expect(world.double.cloud.instances.map(({ name }) => name)).toEqual(['foreign']);
    expect(world.double.cloud.disks).toEqual([]);
  });
});
