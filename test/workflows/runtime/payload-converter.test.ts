/** What cannot be decoded is no payload of ours, and what must stop a worker without keys. */
import { createSecretKey } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { createCodec } from '../../../workers/payloads/codec.ts';
import { plainMemo } from '../../../workflows/contracts/plain-memo.ts';
import { payloadConverter, undecodable } from '../../../workflows/runtime/payload-converter.ts';

const codec = createCodec([{ id: '2026-11', key: createSecretKey(Buffer.alloc(32, 1)) }]);
const context = { type: 'workflow', namespace: 'default', workflowId: '' } as const;

test.each([
  ['broken JSON', 'json/plain', '{'],
  ['an unknown encoding', 'binary/unknown', 'x'],
])('%s is told from no payload', (_what, encoding, data) => {
  const payload = { metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) };
  expect(payloadConverter.fromPayload(payload)).toBe(undecodable);
});

test('an encrypted payload does not: the task of a worker without the keys fails, and names the key', async () => {
  const [payload = {}] = await codec.encode(
    [payloadConverter.toPayload({ isGone: true })],
    context,
  );
  expect(() => payloadConverter.fromPayload(payload)).toThrow(
    'a payload is encrypted with the key "2026-11", and this worker has no --payload-keys',
  );
});

test('a memo of a run stays plain, whatever the keys, and is read as before', async () => {
  const { heartbeatSeconds } = plainMemo({ heartbeatSeconds: 30 });
  const plain: Payload = defaultPayloadConverter.toPayload(heartbeatSeconds);
  const [encoded = {}] = await codec.encode([plain], context);
  expect(encoded).toEqual(plain);
  expect(payloadConverter.fromPayload(encoded)).toBe(30);
});
