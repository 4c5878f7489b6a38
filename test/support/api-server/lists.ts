/** Lists as the API server answers them, and objects as a client wants to see them. */
import type { KubeObject, Query } from '../../../kube/client/client.ts';
import { pageOf } from './pages.ts';
import type { Page } from './pages.ts';
import type { Target } from './paths.ts';
import { apiVersionOf } from './resources.ts';
import { selectionOf } from './selectors.ts';
import type { ObjectStore, Stored } from './store.ts';

export interface ListAnswer {
  apiVersion: string;
  kind: string;
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  /** Null for an empty list of metadata. */
  items: object[] | null;
}

export function listOf(store: ObjectStore, collection: Target, query: Query): ListAnswer {
  const { resource } = collection;
  const isSelected = selectionOf(resource, query);
  const page = pageOf(store, collection, {
    query,
    isSelected: ({ object }) => isSelected(object),
  });
  const isMetadata = query['as'] === 'PartialObjectMetadata';
  const items = page.entries.map(({ object }) => itemAs(query, object, resource.isCustom));
  return {
    kind: `${isMetadata ? query['as'] : resource.kind}List`,
    apiVersion: isMetadata ? metadataVersion : apiVersionOf(resource),
    metadata: metadataOf(page, query, resource.isCustom && !isMetadata),
    items: isMetadata && items.length === 0 ? null : items,
  };
}

/** `saysEnd`: an empty token stands for the end of the list. */
function metadataOf(page: Page, query: Query, saysEnd: boolean): ListAnswer['metadata'] {
  const hasMore = page.continue !== '';
  const hasSelector = Boolean(query['labelSelector'] || query['fieldSelector']);
  return {
    resourceVersion: String(page.version),
    ...((hasMore || saysEnd) && { continue: page.continue }),
    // How many a selector would find is not counted.
    ...(hasMore && !hasSelector && { remainingItemCount: page.remainingItemCount }),
  };
}

const metadataVersion = 'meta.k8s.io/v1';

/** The whole object, or what the client wants of it. */
export function shownAs({ as }: Query, object: KubeObject): KubeObject {
  if (as === undefined) return object;
  return { kind: String(as), apiVersion: metadataVersion, metadata: object.metadata };
}

const items = new WeakMap<Stored, object>();

/** In a list the objects of the server's own types have no kind: that of the list says it. */
function itemAs(query: Query, object: Stored, isCustom: boolean): object {
  if (isCustom || query['as'] !== undefined) return shownAs(query, object);
  const known = items.get(object);
  if (known) return known;
  const { kind: _kind, apiVersion: _apiVersion, ...item } = object;
  items.set(object, item);
  return item;
}
