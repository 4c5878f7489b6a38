/** Payloads as codec servers of Temporal get and give them: protobuf as JSON, bytes in base64. */
import type { Payload } from '@temporalio/common';
import { isRecord } from '../../workflows/values/is-record.ts';

export class PayloadsFault extends Error {}

/** `{"payloads": [{"metadata": {"encoding": "..."}, "data": "..."}]}`. Throws what is wrong. */
export function payloadsIn(body: string): Payload[] {
  const value = parsed(body);
  const payloads = isRecord(value) ? value['payloads'] : undefined;
  if (!Array.isArray(payloads)) throw new PayloadsFault('payloads: must be a list');
  return payloads.map((payload: unknown, index) => payloadOf(payload, `payloads[${index}]`));
}

export function payloadsText(payloads: readonly Payload[]): string {
  return JSON.stringify({
    payloads: payloads.map(({ metadata, data }) => ({
      metadata: Object.fromEntries(
        Object.entries(metadata ?? {}).map(([name, bytes]) => [name, textOf(bytes)]),
      ),
      data: textOf(data),
    })),
  });
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new PayloadsFault('the body must be JSON');
  }
}

function payloadOf(value: unknown, where: string): Payload {
  if (!isRecord(value)) throw new PayloadsFault(`${where}: must be an object`);
  const { metadata = {}, data = '' } = value;
  if (!isRecord(metadata)) throw new PayloadsFault(`${where}.metadata: must be an object`);
  const fields = Object.entries(metadata).map(([name, text]) => [
    name,
    bytesOf(text, `${where}.metadata.${name}`),
  ]);
  return { metadata: Object.fromEntries(fields), data: bytesOf(data, `${where}.data`) };
}

function bytesOf(text: unknown, where: string): Uint8Array {
  if (typeof text !== 'string') throw new PayloadsFault(`${where}: must be a text in base64`);
  return Buffer.from(text, 'base64');
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('base64');
}
