/**
 * Encrypts payloads on their way to Temporal, and decrypts them on their way back. The form is that
 * of the encryption samples of Temporal's SDKs, so drivers in other languages can use those:
 * metadata `encoding` is `binary/encrypted`, metadata `encryption-key-id` names the key, and the
 * data is a nonce of 12 bytes, the encrypted payload as a protobuf message, and a tag of 16 bytes
 * (AES-256-GCM).
 */
// oxlint-disable-next-line no-restricted-imports -- a nonce that a simulation draws may come twice
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { staysPlain } from '../../workflows/contracts/plain-memo.ts';
import { encryptedEncoding, keyIdField } from '../../workflows/values/encrypted-payload.ts';
import type { PayloadKeys } from './keys.ts';

const { Payload: Message } = proto.temporal.api.common.v1;

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** A payload that is not encrypted is handed on as it is: it may be from before there was a key. */
export function createCodec(keys: PayloadKeys): PayloadCodec {
  return {
    encode: async (payloads) => payloads.map((payload) => encrypt(keys, payload)),
    decode: async (payloads) => payloads.map((payload) => decrypt(keys, payload)),
  };
}

function encrypt([{ id, key }]: PayloadKeys, payload: Payload): Payload {
  if (payload.metadata?.[staysPlain]) return payload;
  // Random: a key must not encrypt more than 2^32 payloads (NIST SP 800-38D, 8.3).
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  const plain = Message.encode(payload).finish();
  const data = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return {
    metadata: { encoding: Buffer.from(encryptedEncoding), [keyIdField]: Buffer.from(id) },
    data,
  };
}

function decrypt(keys: PayloadKeys, payload: Payload): Payload {
  if (textOf(payload, 'encoding') !== encryptedEncoding) return payload;
  const id = textOf(payload, keyIdField);
  const key = keys.find((known) => known.id === id)?.key;
  if (!key) {
    const known = keys.map((one) => one.id).join(', ');
    throw new Error(
      `a payload is encrypted with the key ${JSON.stringify(id)}, which the file of --payload-keys does not have (it has ${known}): put it back until no workflow holds such a payload`,
    );
  }
  const data = payload.data ?? new Uint8Array();
  try {
    const nonce = data.subarray(0, nonceBytes);
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
    decipher.setAuthTag(data.subarray(-tagBytes));
    const middle = data.subarray(nonceBytes, -tagBytes);
    return Message.decode(Buffer.concat([decipher.update(middle), decipher.final()]));
  } catch (error) {
    throw new Error(
      `a payload does not fit the key ${JSON.stringify(id)}: it was changed, or another key has this id in the file of --payload-keys of its writer`,
      { cause: error },
    );
  }
}

function textOf({ metadata }: Payload, field: string): string {
  return Buffer.from(metadata?.[field] ?? []).toString('utf8');
}
