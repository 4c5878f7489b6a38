/**
 * The DisruptionPolicies of a namespace, watched where their CRD is installed, so that no decision
 * needs a read.
 */
import { ownGroup } from '../../workflows/api/constants.ts';
import type { DisruptionPolicy } from '../../workflows/api/disruption-policy.ts';
import { monotonicMs } from '../../activities/system/system.ts';
import type { CachedObject } from '../cache/object-cache.ts';
import { OptionalReflector } from '../cache/optional-reflector.ts';
import { isNewer } from '../cache/resource-version.ts';
import type { KubeClient } from '../client/client.ts';
import type { KubeError } from '../client/errors.ts';
import { disruptionPolicy } from '../client/paths.ts';
import type { OptionalResource } from '../client/served.ts';

export const policyResource: OptionalResource = {
  api: `/apis/${ownGroup}/v1alpha1`,
  plural: 'disruptionpolicies',
};

/** By name; or why they are not known, for people: then each may forbid everything. */
export type KnownPolicies =
  | { policies: readonly DisruptionPolicy[]; unreadable?: undefined }
  | { policies?: undefined; unreadable: string };

/** The part of the watch that all others than its owner need. */
export interface PolicyView {
  current(): KnownPolicies;
  /** Counts from now on, until the watch has come so far. */
  noteWritten(policy: DisruptionPolicy): void;
}

export interface WatchedPolicies extends PolicyView {
  /** Fulfilled after the first read, or when it is known that there is nothing to read. */
  readonly synced: Promise<void>;
  /** Calls it whenever a policy comes whose status does not answer its spec. One listener. */
  onEdit(listener: () => void): void;
  close(): Promise<void>;
}

/** Where nothing is decided that policies bound. */
export const noPolicies: WatchedPolicies = {
  synced: Promise.resolve(),
  current: () => ({ policies: [] }),
  noteWritten: () => undefined,
  onEdit: () => undefined,
  close: () => Promise.resolve(),
};

export interface WatchedPoliciesOptions {
  client: KubeClient;
  namespace: string;
  /** Called for each failed read; it goes on by itself. */
  onError(error: unknown): void;
  /** Reading is refused, or allowed again (undefined). */
  onRefusal?(refusal: KubeError | undefined): void;
}

type CopiedPolicy = CachedObject & { policy: DisruptionPolicy };

/** Longer than a watch lags behind; after a restore of etcd its versions compare with no others. */
const writtenForMs = 10_000;

export function watchPolicies({ namespace, ...options }: WatchedPoliciesOptions): WatchedPolicies {
  let edited: (() => void) | undefined;
  const reflector = new OptionalReflector<DisruptionPolicy, CopiedPolicy>({
    ...options,
    resource: policyResource,
    path: disruptionPolicy(namespace),
    transform: copied,
    onChange({ type, object }) {
      if (type !== 'gone' && !isObserved(object.policy)) edited?.();
    },
  });
  const written = new Map<string, { at: number; policy: DisruptionPolicy }>();
  const newest = ({ uid, resourceVersion, policy }: CopiedPolicy): DisruptionPolicy => {
    const own = written.get(uid);
    const isFresh = own !== undefined && monotonicMs() - own.at < writtenForMs;
    if (isFresh && isNewer(own.policy.metadata.resourceVersion, resourceVersion)) return own.policy;
    written.delete(uid);
    return policy;
  };
  return {
    synced: reflector.synced,
    current() {
      const { refusal, isListing } = reflector;
      if (refusal) return { unreadable: formatRefusal(namespace, refusal) };
      if (isListing) return { unreadable: `the DisruptionPolicies of ${namespace} are being read` };
      const policies = [...reflector.items.values()].map(newest);
      return {
        policies: policies.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
      };
    },
    noteWritten(policy) {
      written.set(policy.metadata.uid, { at: monotonicMs(), policy });
    },
    onEdit(listener) {
      edited = listener;
      if ([...reflector.items.values()].some(({ policy }) => !isObserved(policy))) listener();
    },
    close: () => reflector.stop(),
  };
}

function isObserved({ metadata, status }: DisruptionPolicy): boolean {
  return status?.observedGeneration === metadata.generation;
}

function copied(policy: DisruptionPolicy): CopiedPolicy {
  const {
    managedFields: _long,
    ...metadata
  }: DisruptionPolicy['metadata'] & {
    managedFields?: unknown;
  } = policy.metadata;
  const { uid, name, resourceVersion } = metadata;
  return { uid, name, resourceVersion, policy: { ...policy, metadata } };
}

function formatRefusal(namespace: string, { message }: KubeError): string {
  return `the DisruptionPolicies of ${namespace} may not be read, so that each may forbid it: grant get, list and watch of disruptionpolicies.${ownGroup} (${message})`;
}
