/** Which events a watch hears of the changes of a store. */
import type { KubeObject, Query } from '../../../kube/client/client.ts';
import { parsedVersion } from './pages.ts';
import type { Target } from './paths.ts';
import { selectionOf } from './selectors.ts';
import type { Selection } from './selectors.ts';
import type { Status } from './status.ts';
import { expired, internalError } from './status.ts';
import { isIn } from './store.ts';
import type { Change, Entry, ObjectStore } from './store.ts';

export type WatchedEvent =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: KubeObject }
  | { type: 'ERROR'; object: Status };

/** Of one watch. */
interface Hearing {
  collection: Target;
  isSelected: Selection;
  /** Nothing up to this version is told. */
  from: number;
}

/**
 * Tells at once what came after `resourceVersion`, and then each change as it happens. Without one,
 * or from 0, all that is there comes first. Returns what ends it.
 */
export function openWatch(
  store: ObjectStore,
  { collection, query }: { collection: Target; query: Query },
  tell: (event: WatchedEvent) => void,
): () => void {
  const isSelected = selectionOf(collection.resource, query);
  const from = versionToBeginAt(query);
  if (from > 0 && from < store.forgottenBelow) {
    const { status } = expired(`too old resource version: ${from} (${store.forgottenBelow})`);
    tell({ type: 'ERROR', object: status });
    return () => undefined;
  }
  // A watch from a version that is still to come hears nothing before it.
  const hearing = { collection, isSelected, from: from === 0 ? store.version : from };
  const initial = from === 0 ? store.entriesOf(collection) : [];
  for (const { object } of initial) if (isSelected(object)) tell({ type: 'ADDED', object });
  const hear = (change: Change): void => {
    const event = eventOf(change, hearing);
    if (event) tell(event);
  };
  for (const change of store.changesSince(hearing.from, collection)) hear(change);
  return store.listen(hear, collection.resource);
}

/** 0 where it begins with what there is. */
function versionToBeginAt({ resourceVersion = '' }: Query): number {
  try {
    return parsedVersion(String(resourceVersion || '0'));
  } catch (error) {
    // Of a watch the server says it without a reason.
    throw error instanceof SyntaxError ? internalError(`resourceVersion: ${error.message}`) : error;
  }
}

/** An object that comes to be selected is added for this watch, one that no longer is deleted. */
function eventOf(
  { version, before, after }: Change,
  { collection, isSelected, from }: Hearing,
): WatchedEvent | undefined {
  const isOurs = (entry: Entry | undefined): entry is Entry =>
    entry !== undefined && isIn(entry.target, collection) && isSelected(entry.object);
  if (version <= from) return undefined;
  if (isOurs(after)) return { type: isOurs(before) ? 'MODIFIED' : 'ADDED', object: after.object };
  if (!isOurs(before)) return undefined;
  // As it was last, under the version of its deletion.
  const metadata = { ...before.object.metadata, resourceVersion: String(version) };
  return { type: 'DELETED', object: { ...before.object, metadata } };
}
