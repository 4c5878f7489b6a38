/**
 * Signals and drivers' answers that cannot be decoded at all, e.g. broken JSON or an unknown
 * encoding: a converter that throws would stop the workflow at this event for ever. A payload that
 * cannot be read becomes a text that says so, and is refused where it comes in. It does not count
 * as absent: a `rollback` whose revision cannot be read would go back to the revision before.
 */
import type { Payload, PayloadConverter } from '@temporalio/common';
import { defaultPayloadConverter, ValueError } from '@temporalio/common';
import { decode } from '@temporalio/common/lib/encoding.js';
import { encryptedEncoding, keyIdField } from '../values/encrypted-payload.ts';

/** In place of the payload: none that we take is a text. */
export const undecodable = 'a payload that cannot be decoded';

export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload: decoded,
};

function decoded(payload: Payload): ReturnType<typeof JSON.parse> {
  try {
    return defaultPayloadConverter.fromPayload(payload);
  } catch {
    requirePlain(payload);
    return undecodable;
  }
}

/**
 * To a worker without the keys all of a history would count as absent, and its workflows would do
 * what they must not. The task fails instead, until a worker with the keys has it.
 */
function requirePlain({ metadata }: Payload): void {
  if (textOf(metadata?.['encoding']) !== encryptedEncoding) return;
  throw new ValueError(
    `a payload is encrypted with the key ${JSON.stringify(textOf(metadata?.[keyIdField]))}, and this worker has no --payload-keys: give it the file that the other processes have`,
  );
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return bytes ? decode(bytes) : '';
}
