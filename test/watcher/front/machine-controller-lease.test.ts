/** What keeps a machine-controller from starting beside the front. */
import { pino } from 'pino';
import { lease as leasePath } from '../../../kube/client/paths.ts';
import { holderAnnotation, type Lease } from '../../../kube/leases/observed-lease.ts';
import { MachineControllerLease } from '../../../watcher/front/machine-controller-lease.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const lease = { namespace: 'kube-system', name: 'machine-controller' };
const path = leasePath(lease.namespace, lease.name);

function heldBy(holderIdentity: string, annotations: Record<string, string> = {}): object {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...lease, annotations },
    spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' },
  };
}

/** One turn of a front that begins, and ends. */
async function aTurn(
  client: InMemoryClient,
  needed: boolean | undefined,
  elsewhere = false,
): Promise<unknown[]> {
  const lines: unknown[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const isNeeded = (): boolean | undefined => needed;
  const isNeededElsewhere = async (): Promise<boolean> => await Promise.resolve(elsewhere);
  const options = { client, lease, install: 'a', isNeeded, isNeededElsewhere, log };
  const held = new MachineControllerLease(options);
  await held.stop();
  return lines;
}

test('it is held for an hour from the first object that is served, also without a front', async () => {
  const client = new InMemoryClient();
  expect(await aTurn(client, undefined)).toEqual([]);
  expect(await aTurn(client, false)).toEqual([]);
  await expect(client.get(path)).rejects.toThrow('404');
  expect(await aTurn(client, true)).toEqual([]);
  const { spec } = await client.get<Lease>(path);
  expect(spec).toMatchObject({ holderIdentity: 'millwright-front/a', leaseDurationSeconds: 3600 });
  // Another process goes on at once, and nothing changes while it does not know.
  expect(await aTurn(client, true)).toEqual([]);
  expect(await aTurn(client, undefined)).toEqual([]);
  // What another front of the install leads may need it.
  expect(await aTurn(client, false, true)).toEqual([]);
  expect((await client.get<Lease>(path)).spec?.holderIdentity).toBe('millwright-front/a');
  expect(await aTurn(client, false)).toEqual([]);
  expect((await client.get<Lease>(path)).spec?.holderIdentity).toBe('');
});

test('one that machine-controller holds is reported, and left to it', async () => {
  const client = new InMemoryClient(heldBy('mc-1'));
  expect(await aTurn(client, true)).toMatchObject([{ level: 50, holder: 'mc-1' }]);
  expect((await client.get<Lease>(path)).spec?.holderIdentity).toBe('mc-1');
});

test('one that a watcher of ours holds as that of MCM does as well', async () => {
  const client = new InMemoryClient(heldBy('watcher-1', { [holderAnnotation]: 'watcher-1' }));
  expect(await aTurn(client, true)).toEqual([]);
  expect((await client.get<Lease>(path)).spec?.holderIdentity).toBe('watcher-1');
});
