/**
 * Shows a worker whether a watcher holds the Lease of the namespace now. It watches the Lease: no
 * read per action.
 */
import type { KubeClient } from '../client/client.ts';
import type { Lease } from './observed-lease.ts';
import { ownLeaseOf } from './lease-set.ts';
import { LeaseTerm } from './lease-term.ts';
import { lease as leasePath } from '../client/paths.ts';
import type { NotedPause } from '../objects/pauses.ts';
import { pausesAnnotation } from '../objects/pauses.ts';
import { PauseHistory } from './pause-history.ts';
import { Reflector } from '../cache/reflector.ts';
import { monotonicMs, nowMs } from '../../system/system.ts';

export interface ActiveWatcher {
  /** No holder, no action: whatever writes to Kubernetes waits for a watcher. */
  isActive(): boolean;
  /** When nothing could be done, as the watchers noted it. */
  pauses(): NotedPause[];
  /** Fulfilled after the first read. */
  readonly synced: Promise<void>;
  close(): Promise<void>;
}

export interface ActiveWatcherOptions {
  client: KubeClient;
  namespace: string;
  /** Of the Lease; default the same. */
  resourceNamespace?: string | undefined;
  /** Called for each failed read; the watch goes on by itself. */
  onError(error: unknown): void;
}

export function watchActiveWatcher({
  client,
  namespace,
  resourceNamespace,
  onError,
}: ActiveWatcherOptions): ActiveWatcher {
  const place = ownLeaseOf(namespace, resourceNamespace);
  const term = new LeaseTerm();
  // By both clocks: one stands still while a machine sleeps, the other may be set.
  let end = { monotonic: 0, wall: 0 };
  const history = new PauseHistory();
  const reflector = new Reflector({
    client,
    path: leasePath(place.namespace),
    query: { fieldSelector: `metadata.name=${place.name}` },
    transform: (lease: Lease) => ({
      uid: lease.metadata.uid,
      name: lease.metadata.name,
      resourceVersion: lease.metadata.resourceVersion,
      ...lease.spec,
      noted: lease.metadata.annotations?.[pausesAnnotation] ?? '',
    }),
    onChange({ type, object }) {
      const now = nowMs();
      const remaining = type === 'live' ? term.remaining(object, now) : 0;
      end = { monotonic: monotonicMs() + remaining, wall: now + remaining };
      if (type === 'live') history.see(object, now);
    },
    onError,
  });
  return {
    isActive: () => monotonicMs() < end.monotonic && nowMs() < end.wall,
    pauses: () => history.pauses(),
    synced: reflector.synced,
    close: () => reflector.stop(),
  };
}
