/** What an API server keeps, and what it says of a change. */
import type { KubeObject, ObjectMeta } from '../../../kube/client/client.ts';
import type { Target } from './paths.ts';

export interface StoredMeta extends ObjectMeta {
  deletionGracePeriodSeconds?: number;
}

export interface Stored extends KubeObject {
  metadata: StoredMeta;
  [field: string]: unknown;
}

/** A stored object is never changed, and it is frozen: a write replaces it. */
export interface Entry {
  target: Target;
  object: Stored;
}

export interface Change {
  version: number;
  path: string;
  /** Undefined where there was none. */
  before: Entry | undefined;
  /** After a deletion undefined. */
  after: Entry | undefined;
}

export type Listener = (change: Change) => void;
