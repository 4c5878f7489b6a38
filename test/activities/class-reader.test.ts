import { expect, test } from '@jest/globals';
import { createClassReader } from '../../activities/class-reader.ts';
import { aMachineClass, aSecret, namespace } from '../support/builders.ts';
import { MemoryKube } from '../support/memory-kube.ts';

function readerOf(...objects: object[]) {
  const client = new MemoryKube(...objects);
  return { client, reader: createClassReader({ client, namespace }) };
}

test('machines that start together read their class once', async () => {
  const { client, reader } = readerOf(aMachineClass(), aSecret({ userData: 'x' }));
  const reads = [1, 2, 3].map(() => reader.read('small', { isFresh: false }));
  expect((await Promise.all(reads)).map((found) => found?.secret)).toEqual([
    { userData: 'x' },
    { userData: 'x' },
    { userData: 'x' },
  ]);
  expect(client.calls).toHaveLength(2);
  await reader.read('small', { isFresh: true });
  expect(client.calls).toHaveLength(4);
});

test('credentials lie over the secret', async () => {
  const machineClass = aMachineClass({ credentialsSecretRef: { name: 'cloud' } });
  const credentials = aSecret({ key: 'theirs' }, { name: 'cloud' });
  const { reader } = readerOf(machineClass, aSecret({ key: 'ours', userData: '' }), credentials);
  const found = await reader.read('small', { isFresh: false });
  expect(found).toMatchObject({ secret: { key: 'theirs', userData: '' }, secretFaults: [] });
});

test('a missing Secret is named, a missing class is looked for again', async () => {
  const { client, reader } = readerOf();
  expect(await reader.read('small', { isFresh: false })).toBeUndefined();
  client.put(aMachineClass());
  expect(await reader.read('small', { isFresh: false })).toMatchObject({
    secretFaults: ['secretRef.name: Secret "small-secret" does not exist in namespace shoot'],
  });
});
