/**
 * Signals and drivers' answers that cannot be decoded at all, e.g. broken JSON or an unknown
 * encoding: a converter that throws would stop the workflow at this event for ever. What cannot be
 * read counts as absent, which is refused where it comes in.
 */
import type { Payload, PayloadConverter } from '@temporalio/common';
import { defaultPayloadConverter } from '@temporalio/common';

export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload: decoded,
};

function decoded(payload: Payload): ReturnType<typeof JSON.parse> {
  try {
    return defaultPayloadConverter.fromPayload(payload);
  } catch {
    return undefined;
  }
}
