/** The one place that says how values become payloads, for every client and worker. */
import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { createCodec } from './codec.ts';
import type { PayloadKeys } from './keys.ts';

/** Nothing where there are no keys: payloads are plain then. */
export function dataConverterOf({ payloadKeys }: { payloadKeys?: PayloadKeys }): {
  dataConverter?: DataConverter;
} {
  if (!payloadKeys) return {};
  const failureConverterPath = fileURLToPath(new URL('failure-converter.ts', import.meta.url));
  return { dataConverter: { payloadCodecs: [createCodec(payloadKeys)], failureConverterPath } };
}
