/**
 * Memos that stay plain where payloads are encrypted. Temporal's clients decode the memo of each
 * workflow that they list or describe, and these may be of an install with other keys, or be
 * described to find out whose they are.
 */
import { defaultPayloadConverter, RawValue } from '@temporalio/common';

/** Metadata of a payload that no codec of ours encrypts. */
export const staysPlain = 'millwright-plain';

const mark = new Uint8Array([1]);

export function plainMemo(memo: Readonly<Record<string, unknown>>): Record<string, RawValue> {
  return Object.fromEntries(
    Object.entries(memo).map(([name, value]) => {
      const { metadata, data } = defaultPayloadConverter.toPayload(value);
      const marked = { metadata: { ...metadata, [staysPlain]: mark }, ...(data && { data }) };
      return [name, RawValue.fromPayload(marked)];
    }),
  );
}
