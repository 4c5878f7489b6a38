/**
 * A signal on its way: the newest of its name to its workflow, and the oldest change that it stands
 * for.
 */
import { olderOf } from '../../kube/cache/resource-version.ts';
import { mayLeaveAt, paceOf } from './debounce.ts';
import type { Sent } from './debounce.ts';
import type { Signal } from '../dispatch/signal.ts';
import { resources } from '../cache/views.ts';
import type { Resource } from '../cache/views.ts';

export interface QueuedSignal {
  signal: Signal;
  /** Since when it waits; kept when a newer signal replaces the older. */
  since: number;
  /** When it is to be sent. */
  dueAt: number;
  /** The oldest change of each resource that counts as signalled only once this arrives. */
  oldest: Partial<Record<Resource, string>>;
}

export interface Before {
  /** Undelivered, of the same name to the same workflow. */
  waiting: QueuedSignal | undefined;
  sent: Sent | undefined;
}

export function queuedSignalOf(
  signal: Signal,
  { waiting, sent }: Before,
  now: number,
): QueuedSignal {
  const { quietMs, maxMs } = paceOf(signal);
  const since = waiting?.since ?? now;
  return {
    signal: withEdit(signal, waiting?.signal),
    since,
    dueAt: Math.max(Math.min(now + quietMs, since + maxMs), mayLeaveAt(signal, sent)),
    oldest: merged(waiting?.oldest ?? {}, {
      [signal.cause.resource]: signal.cause.resourceVersion,
    }),
  };
}

/** The delivery of `failed` did not work, and meanwhile `newer` came: it stands for both. */
export function requeue(failed: QueuedSignal, newer: QueuedSignal | undefined): QueuedSignal {
  if (newer === undefined) return failed;
  return {
    ...newer,
    signal: withEdit(newer.signal, failed.signal),
    since: failed.since,
    dueAt: Math.min(failed.dueAt, newer.dueAt),
    oldest: merged(failed.oldest, newer.oldest),
  };
}

/** A later signal must not hide an edit of a class or its Secret that Temporal has not taken. */
function withEdit(signal: Signal, older: Signal | undefined): Signal {
  const isEdited = older !== undefined && 'isEdited' in older.payload;
  return isEdited ? { ...signal, payload: { ...signal.payload, isEdited: true } } : signal;
}

function merged(a: QueuedSignal['oldest'], b: QueuedSignal['oldest']): QueuedSignal['oldest'] {
  const all = { ...a };
  for (const [resource, version] of entriesOf(b)) {
    const held = all[resource];
    all[resource] = held === undefined ? version : olderOf(held, version);
  }
  return all;
}

/** Narrows to what is there. */
function entriesOf(versions: QueuedSignal['oldest']): [Resource, string][] {
  return resources.flatMap((resource): [Resource, string][] => {
    const version = versions[resource];
    return version === undefined ? [] : [[resource, version]];
  });
}
