import { HandSystem } from '../../support/hand-system.ts';
import { gzipSync } from 'node:zlib';
import { createClassReader, userDataIn } from '../../../activities/machine-class/reader.ts';
import { aMachineClass, aSecret, base64, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

function readerOf(...objects: object[]) {
  const client = new InMemoryClient(...objects);
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

test('a class and its credentials are not kept for more than half a second', async () => {
  const hand = new HandSystem();
  const { client, reader } = readerOf(aMachineClass(), aSecret({ userData: 'x' }));
  const read = async (): Promise<number> => {
    await hand.run(() => reader.read('small', { isFresh: false }));
    return client.calls.length;
  };
  expect([await read(), await read()]).toEqual([2, 2]);
  await hand.to(499);
  expect(await read()).toBe(2);
  await hand.to(500);
  expect(await read()).toBe(4);
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

const textSecret = (name: string) => aSecret({ userData: 'x' }, { name });

describe('values that are not UTF-8', () => {
  const packed = gzipSync('#cloud-config');
  const binarySecret = (name: string) => ({
    ...aSecret({}, { name }),
    data: { userData: packed.toString('base64'), text: base64('ü') },
  });

  test('are kept as they are', async () => {
    const { reader } = readerOf(aMachineClass(), binarySecret('small-secret'));
    const found = await reader.read('small', { isFresh: true });
    expect(found?.secret['text']).toBe('ü');
    expect(Object.keys(found?.binary ?? {})).toEqual(['userData']);
    expect(packed.equals(found?.binary?.['userData'] ?? Buffer.alloc(0))).toBe(true);
    expect(found && userDataIn(found)).toEqual(packed);
  });

  test('are laid over by text of the Secret with the credentials, and the other way round', async () => {
    const other = { name: 'other', namespace };
    const machineClass = aMachineClass({ credentialsSecretRef: other });
    const overlaid = readerOf(machineClass, binarySecret('small-secret'), textSecret('other'));
    const first = await overlaid.reader.read('small', { isFresh: true });
    expect([first?.binary, first && userDataIn(first)]).toEqual([undefined, 'x']);
    const overlaying = readerOf(machineClass, textSecret('small-secret'), binarySecret('other'));
    const second = await overlaying.reader.read('small', { isFresh: true });
    expect(second && userDataIn(second)).toEqual(packed);
  });
});
