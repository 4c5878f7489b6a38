/** Tells a worker whether a watcher holds the Lease of the namespace now. It watches the Lease: no read per action. */
import type { KubeClient } from './client.ts';
import type { Lease } from './observed-lease.ts';
import type { Span } from './global-stop.ts';
import { lastStopAnnotation, readSpan } from './global-stop.ts';
import { ownLease } from './lease-set.ts';
import { lease as leasePath } from './paths.ts';
import { Reflector } from './reflector.ts';

export interface Licence {
  /** No holder, no action: creating and destroying wait for a watcher. */
  isGranted(): boolean;
  /** Fulfilled after the first read. */
  readonly synced: Promise<void>;
  close(): Promise<void>;
}

export interface LicenceOptions {
  client: KubeClient;
  namespace: string;
  /** Called for each failed read; the licence goes on by itself. */
  /** The watcher writes onto the Lease when everything was stopped last. */
  onLastStop?(span: Span): void;
  onError(error: unknown): void;
}

const defaultDurationSeconds = 15;
/**
 * The Lease that we find at first may be old. Clocks are compared only here and only coarsely; a wrong
 * clock costs the wait for the next renewal, 2 s.
 */
const firstAgeMaxMs = 60_000;

export function createLicence({ client, namespace, onLastStop, onError }: LicenceOptions): Licence {
  let grantedUntil = 0;
  const reflector = new Reflector({
    client,
    path: leasePath(namespace),
    query: { fieldSelector: `metadata.name=${ownLease}` },
    project: (lease: Lease) => ({
      uid: lease.metadata.uid,
      name: lease.metadata.name,
      resourceVersion: lease.metadata.resourceVersion,
      ...lease.spec,
      lastStop: readSpan(lease.metadata.annotations?.[lastStopAnnotation]),
    }),
    onChange({ type, object, previous }) {
      const isHeld = type === 'live' && Boolean(object.holderIdentity);
      const isFirst = previous === undefined;
      const age = Date.now() - Date.parse(object.renewTime ?? '');
      const durationMs = (object.leaseDurationSeconds ?? defaultDurationSeconds) * 1_000;
      grantedUntil =
        isHeld && (!isFirst || age < firstAgeMaxMs) ? performance.now() + durationMs : 0;
      if (object.lastStop) onLastStop?.(object.lastStop);
    },
    onError,
  });
  return {
    isGranted: () => performance.now() < grantedUntil,
    synced: reflector.synced,
    close: () => reflector.stop(),
  };
}
