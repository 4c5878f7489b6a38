import { isDeepStrictEqual } from 'node:util';
import { WatchedAttachments } from '../../../../activities/drain/wake-ups/watched-attachments.ts';
import { KubeError } from '../../../../kube/client/errors.ts';
import { eventually } from '../../../support/eventually.ts';
import { InMemoryClient } from '../../../support/api-server/in-memory-client.ts';

const path = '/apis/storage.k8s.io/v1/volumeattachments';

function anAttachment(volume: string | undefined, nodeName = 'pool-a', attached = true): object {
  return {
    kind: 'VolumeAttachment',
    metadata: { name: `${volume}-${nodeName}` },
    spec: { nodeName, source: volume === undefined ? {} : { persistentVolumeName: volume } },
    status: { attached },
  };
}

let attachments: WatchedAttachments;
afterEach(() => attachments.close());

function watching(...objects: object[]): InMemoryClient {
  const target = new InMemoryClient(...objects);
  attachments = new WatchedAttachments({ target, onError: () => undefined });
  return target;
}

const never = new AbortController().signal;

test('drains that wait share one watch', async () => {
  const target = watching(anAttachment('one'), anAttachment(undefined));
  expect(target.calls).toEqual([]);
  const expected = [{ volume: 'one', nodeName: 'pool-a', isAttached: true }];
  expect(await attachments.list()).toEqual(expected);
  await eventually('they are watched', async () => target.watchCount === 1);
  const before = target.calls.length;
  expect(await Promise.all([attachments.list(), attachments.list()])).toEqual([expected, expected]);
  target.put(anAttachment('one', 'pool-a', false));
  await eventually('the change is seen', async () => {
    const [only] = await attachments.list();
    return only?.isAttached === false;
  });
  expect(target.calls).toHaveLength(before);
});

test('a pause ends when a volume that is waited for moves, and not for others', async () => {
  const target = watching(anAttachment('one'), anAttachment('two'));
  await attachments.list();
  await eventually('they are watched', async () => target.watchCount === 1);
  let isOver = false;
  async function pause(): Promise<void> {
    await attachments.pause(['one'], 60_000, never);
    isOver = true;
  }
  const pausing = pause();
  await target.delete(`${path}/two-pool-a`);
  await eventually('the other one is gone', async () => (await attachments.list()).length === 1);
  expect(isOver).toBe(false);
  await target.delete(`${path}/one-pool-a`);
  await pausing;
  expect(isOver).toBe(true);
});

test('VolumeAttachments that may be listed and not watched are listed at each read', async () => {
  const target = watching(anAttachment('one'));
  target.watch = () => {
    throw new KubeError({ code: 403, reason: 'Forbidden', message: 'no', method: 'GET', path });
  };
  await attachments.list();
  target.put(anAttachment('one', 'pool-b'));
  const seen = { volume: 'one', nodeName: 'pool-b', isAttached: true };
  let found: unknown[] = [];
  await eventually('the other is seen', async () => {
    found = await attachments.list();
    return found.some((one) => isDeepStrictEqual(one, seen));
  });
  expect(found).toContainEqual(seen);
});

test('a cluster without VolumeAttachments has none', async () => {
  const target = watching();
  target.fault = () => ({ code: 404, reason: 'NotFound' });
  expect(await attachments.list()).toEqual([]);
});

test('a server that does not answer is an error of the read of VolumeAttachments, not an empty list', async () => {
  const target = watching();
  target.fault = () => ({ code: 503, reason: 'HTTP503' });
  await expect(attachments.list()).rejects.toThrow('503');
});
