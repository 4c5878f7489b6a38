/** Secrets may be written as texts; they are kept in base64. */
import { isRecord } from '../../../workflows/values/is-record.ts';
import type { Stored } from './store.ts';

export function encodedSecret(object: Stored): Stored {
  const { stringData, ...rest } = object;
  if (object.kind !== 'Secret' || !isRecord(stringData)) return object;
  const encoded = Object.entries(stringData).map(([key, text]) => [
    key,
    Buffer.from(String(text)).toString('base64'),
  ]);
  const { data } = object;
  return {
    ...rest,
    metadata: object.metadata,
    data: { ...(isRecord(data) && data), ...Object.fromEntries(encoded) },
  };
}
