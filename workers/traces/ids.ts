/**
 * Ids of traces and spans. They are worked out from the object: a watcher that signals a change
 * again, or the next one that leads, means the same trace, and another trace can be linked without
 * asking anybody.
 */
import { createHash } from 'node:crypto';
import type { OperationOrigin } from '../../watcher/dispatch/signal.ts';

export interface TraceIds {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** Span of the root, the watcher's signal; 16 digits. */
  signalSpanId: string;
  /** Span of the operation; 16 digits. */
  operationSpanId: string;
}

/** @param cluster Id of the control cluster. */
export function idsOf(
  cluster: string,
  { operation, uid, generation = 0 }: OperationOrigin,
): TraceIds {
  const digest = createHash('sha256')
    .update(JSON.stringify(['millwright', cluster, operation, uid, generation]))
    .digest('hex');
  return {
    traceId: digest.slice(0, 32),
    signalSpanId: digest.slice(32, 48),
    operationSpanId: digest.slice(48, 64),
  };
}

/** Context of the root, as W3C writes it, sampled. */
export function traceparentOf({ traceId, signalSpanId }: TraceIds): string {
  return `00-${traceId}-${signalSpanId}-01`;
}
