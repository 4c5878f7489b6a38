import { node as nodePath } from '../../../kube/client/paths.ts';
import { deleteObject } from '../../../kube/objects/delete-object.ts';
import { aNode } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const path = nodePath('pool-a');
const uid = 'uid-of-node';
const clientWith = (found: string): InMemoryClient =>
  new InMemoryClient(aNode({ metadata: { uid: found } }));

test('an object of the UID is deleted', async () => {
  const client = clientWith(uid);
  await deleteObject(client, path, uid);
  expect(client.has(path)).toBe(false);
});

test('a later object of the name stays', async () => {
  const client = clientWith('uid-of-another');
  await deleteObject(client, path, uid);
  expect(client.has(path)).toBe(true);
});

test('an object that is gone needs nothing', async () => {
  await expect(deleteObject(new InMemoryClient(), path, uid)).resolves.toBeUndefined();
});

test('a conflict about this very object is thrown, because it is still there', async () => {
  const client = clientWith(uid);
  client.fault = ({ method }) =>
    method === 'DELETE' ? { code: 409, reason: 'Conflict' } : undefined;
  await expect(deleteObject(client, path, uid)).rejects.toThrow('409 Conflict');
});
