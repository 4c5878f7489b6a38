/** Payloads that nobody without the key can read, and the words of what goes wrong with keys. */
import { createSecretKey } from 'node:crypto';
import { ApplicationFailure, defaultPayloadConverter, type Payload } from '@temporalio/common';
import { createCodec } from '../../../workers/payloads/codec.ts';
import { failureConverter } from '../../../workers/payloads/failure-converter.ts';
import type { PayloadKey, PayloadKeys } from '../../../workers/payloads/keys.ts';

const value = { name: 'shoot-a-pool-1', providerID: 'aws:///eu-west-1/i-1' };
const plain = defaultPayloadConverter.toPayload(value);
const context = { type: 'workflow', namespace: 'default', workflowId: 'machine/a/b' } as const;

function key(id: string, fill: number): PayloadKey {
  return { id, key: createSecretKey(Buffer.alloc(32, fill)) };
}

async function encoded(keys: PayloadKeys): Promise<Payload> {
  const [payload] = await createCodec(keys).encode([plain], context);
  if (!payload) throw new Error('nothing was encoded');
  return payload;
}

async function decoded(keys: PayloadKeys, payload: Payload): Promise<unknown> {
  const [found] = await createCodec(keys).decode([payload], context);
  return found && defaultPayloadConverter.fromPayload(found);
}

const textOf = ({ metadata, data }: Payload): string =>
  [...Object.values(metadata ?? {}), data ?? new Uint8Array()]
    .map((part) => Buffer.from(part).toString('latin1'))
    .join(' ');

describe('an encrypted payload', () => {
  test('says its encoding and its key, and nothing of its value', async () => {
    const payload = await encoded([key('2026-11', 1)]);
    expect(textOf(plain)).toContain(value.name);
    expect(textOf(payload)).not.toMatch(/shoot-a|providerID|json/);
    expect(Buffer.from(payload.metadata?.['encoding'] ?? []).toString()).toBe('binary/encrypted');
    expect(Buffer.from(payload.metadata?.['encryption-key-id'] ?? []).toString()).toBe('2026-11');
  });

  test('is another one each time', async () => {
    const keys: PayloadKeys = [key('a', 1)];
    expect((await encoded(keys)).data).not.toEqual((await encoded(keys)).data);
  });

  test('is what it was, once decrypted', async () => {
    const keys: PayloadKeys = [key('a', 1)];
    expect(await decoded(keys, await encoded(keys))).toEqual(value);
  });

  test('is read with an old key while the new one encrypts', async () => {
    const before = await encoded([key('old', 1)]);
    const rotated: PayloadKeys = [key('new', 2), key('old', 1)];
    expect(await decoded(rotated, before)).toEqual(value);
    const after = await encoded(rotated);
    expect(Buffer.from(after.metadata?.['encryption-key-id'] ?? []).toString()).toBe('new');
  });

  test('of a key that is not there names the key and what to do', async () => {
    await expect(decoded([key('new', 2)], await encoded([key('old', 1)]))).rejects.toThrow(
      'a payload is encrypted with the key "old", which the file of --payload-keys does not have (it has new): put it back',
    );
  });

  test.each([
    ['another key has its id', [key('a', 2)], (data: Buffer) => data],
    ['a byte was changed', [key('a', 1)], (data: Buffer) => data.fill(0, 14, 15)],
    ['it was cut', [key('a', 1)], (data: Buffer) => data.subarray(0, 5)],
  ] as const)('is refused when %s', async (_what, keys, change) => {
    const payload = await encoded([key('a', 1)]);
    const changed = { ...payload, data: change(Buffer.from(payload.data ?? [])) };
    await expect(decoded([...keys], changed)).rejects.toThrow('does not fit the key "a"');
  });
});

test('a plain payload, of before there was a key, is read', async () => {
  expect(await decoded([key('a', 1)], plain)).toEqual(value);
});

test('messages and stack traces of failures are in a payload', () => {
  const error = ApplicationFailure.create({ message: 'the pod web-0 stays', type: 'Undrained' });
  const failure = failureConverter.errorToFailure(error, defaultPayloadConverter);
  expect(failure).toMatchObject({ message: 'Encoded failure', stackTrace: '' });
  expect(textOf(failure.encodedAttributes ?? {})).toContain('the pod web-0 stays');
});
