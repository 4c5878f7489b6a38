/** What of a history is in payloads, and what is in clear. */
import type { Payload } from '@temporalio/common';

/** Both stay plain whatever the codec: the server reads the one, workers route by the other. */
const plainParts = new Set([
  'searchAttributes',
  'upsertWorkflowSearchAttributesEventAttributes',
  'header',
  'headers',
]);

/** All payloads, without those of search attributes and headers. */
export function payloadsOf(value: unknown): Payload[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  if (isPayload(value)) return [value];
  return Object.entries(value).flatMap(([key, part]) =>
    plainParts.has(key) ? [] : payloadsOf(part),
  );
}

function isPayload(value: object): value is Payload {
  return 'metadata' in value && 'data' in value;
}

/** Messages and stack traces of all failures, as they stand there. */
export function failureTextsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  const texts = Object.entries(value).flatMap(([key, part]) =>
    typeof part === 'string' && (key === 'message' || key === 'stackTrace')
      ? [part]
      : failureTextsOf(part),
  );
  return texts.filter((text) => text !== '');
}
