/** Trace contexts in headers and inputs. A senseless value is none: a trace must harm no run. */
import type { Payload } from '@temporalio/common';
import { defaultPayloadConverter } from '@temporalio/common';
import type { OperationContext } from '../contracts/tracing.ts';
import { isRecord } from '../values/is-record.ts';
import type { CarriedTrace } from './operation-trace.ts';

const operations: readonly unknown[] = ['launch', 'removal', 'rollout'];
const traceparentForm = /^00-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;
const spanForm = /^[\da-f]{16}$/;
const linksMax = 20;

export function contextIn(payload: Payload | undefined): OperationContext | undefined {
  const value = valueOf(payload);
  return isContext(value) ? value : undefined;
}

/** Reads the trace of the run before. */
export function carriedIn(value: unknown): CarriedTrace | undefined {
  return isCarried(value) ? value : undefined;
}

function valueOf(payload: Payload | undefined): unknown {
  if (!payload) return undefined;
  try {
    return defaultPayloadConverter.fromPayload(payload);
  } catch {
    return undefined;
  }
}

function isContext(value: unknown): value is OperationContext {
  if (!isRecord(value)) return false;
  const { operation, traceparent, spanId, links } = value;
  return (
    operations.includes(operation) &&
    matches(traceparent, traceparentForm) &&
    matches(spanId, spanForm) &&
    Array.isArray(links) &&
    links.length <= linksMax &&
    links.every((link) => matches(link, traceparentForm))
  );
}

function isCarried(value: unknown): value is CarriedTrace {
  if (!isRecord(value) || !Array.isArray(value['heard'])) return false;
  const { heard, running } = value;
  const all: unknown[] = running === undefined ? heard : [...heard, running];
  return all.every(isHeard) && (running === undefined || hasEvents(running));
}

function isHeard(value: unknown): boolean {
  return isRecord(value) && typeof value['heardAt'] === 'number' && isContext(value['context']);
}

function hasEvents(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value['events']) && isRecord(value['attributes']);
}

function matches(value: unknown, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value);
}
