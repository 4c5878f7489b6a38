/** The few calls that we make of a Kubernetes API server. Implemented in http-client.ts. */
import type { ObjectMeta, OwnerReference } from '../../workflows/api/meta.ts';

export type { ObjectMeta, OwnerReference };

export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

export interface KubeList<T> {
  metadata: { resourceVersion: string };
  items: T[];
}

/** How a patch body is read. Custom resources know no strategic patch (415). */
export type PatchType = 'merge' | 'strategic' | 'json';

/**
 * Parameters of the request. `as: 'PartialObjectMetadata'` asks for the metadata only, of a list, a
 * watch or an object.
 */
export type Query = Record<string, string | number | boolean | undefined>;

export type WatchEvent<T> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  | { type: 'BOOKMARK'; object: { metadata: { resourceVersion: string } } };

/**
 * Paths are absolute (`/api/v1/nodes/web-0`); see paths.ts. Every call has a time limit, takes part
 * in cancellation by `signal`, and fails with a `KubeError` (errors.ts). JSON in, JSON out: times
 * stay strings.
 */
export interface KubeClient {
  get<T>(path: string, query?: Query): Promise<T>;
  /** A consistent read of all pages. */
  list<T>(path: string, query?: Query): Promise<KubeList<T>>;
  create<T>(path: string, body: unknown): Promise<T>;
  /** Replaces the whole object: `body` is what was read, changed, with its resourceVersion. */
  update<T>(path: string, body: unknown): Promise<T>;
  patch<T>(path: string, type: PatchType, body: unknown): Promise<T>;
  /**
   * `body` is a DeleteOptions: preconditions, gracePeriodSeconds, propagationPolicy. Returns the
   * object while finalizers keep it, or a Status.
   */
  delete(path: string, body?: unknown): Promise<Partial<KubeObject>>;
  /**
   * Bookmarks are on. Ends when the server closes; throws KubeError for a refusal, an ERROR event,
   * a broken connection, and when not one byte came for the client's `silenceMs`.
   */
  watch<T>(path: string, query: Query, signal: AbortSignal): AsyncIterable<WatchEvent<T>>;
  close(): Promise<void>;
}
