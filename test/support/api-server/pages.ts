/** Which version a list shows, and which part of it: `limit`, `continue` and `resourceVersion`. */
import type { Query } from '../../../kube/client/client.ts';
import type { Target } from './paths.ts';
import { badRequest, expired, tooLargeVersion } from './status.ts';
import { placeOf } from './sorted-entries.ts';
import type { Entry, ObjectStore } from './store.ts';

export interface Page {
  version: number;
  entries: Entry[];
  /** Empty on the last page. */
  continue: string;
  remainingItemCount: number;
}

/** Where a page begins. A version of -1 stands for the newest, after the first one has expired. */
interface Token {
  rv: number;
  start: string;
}

const newest = -1;
const tooOldToken =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

export function pageOf(
  store: ObjectStore,
  collection: Target,
  { query, isSelected }: { query: Query; isSelected: (entry: Entry) => boolean },
): Page {
  const limit = limitOf(query);
  const token = tokenIn(query);
  const version = token ? versionOfToken(store, token) : versionOfList(store, query);
  const start = token?.start ?? '';
  const left = store
    .entriesOf(collection, version)
    .filter((entry) => start === '' || placeIn(collection, entry) >= start);
  const all = left.filter(isSelected);
  const entries = limit > 0 ? all.slice(0, limit) : all;
  const last = entries.at(-1);
  // What is behind a full page may have nothing that is selected.
  const isLast = !last || entries.length < limit || limit <= 0 || last === left.at(-1);
  return {
    version,
    entries,
    continue: isLast ? '' : encoded({ rv: version, start: `${placeIn(collection, last)}\0` }),
    remainingItemCount: all.length - entries.length,
  };
}

/** As tokens have it: the namespace of a list is not said again. */
function placeIn({ namespace }: Target, { target }: Entry): string {
  return namespace === '' ? placeOf(target) : `/${target.name}`;
}

/** 0: no limit. */
function limitOf({ limit = '' }: Query): number {
  const text = String(limit);
  if (text === '') return 0;
  if (!/^-?\d+$/.test(text)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return Number(text);
}

/** Throws a SyntaxError with the words of the server. */
export function parsedVersion(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  const value = JSON.stringify(text);
  throw new SyntaxError(
    `Invalid value: ${value}: strconv.ParseUint: parsing ${value}: invalid syntax`,
  );
}

/** An object or a list that must not be older than this. */
export function requireVersion(store: ObjectStore, { resourceVersion = '' }: Query): number {
  try {
    const wanted = parsedVersion(String(resourceVersion || '0'));
    if (wanted > store.version) throw tooLargeVersion(wanted, store.version);
    return wanted;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`invalid resource version: resourceVersion: ${error.message}`);
  }
}

function versionOfList(store: ObjectStore, query: Query): number {
  const wanted = requireVersion(store, query);
  const match = query['resourceVersionMatch'];
  // Pages of a version are of exactly that one, as in the days before `resourceVersionMatch`.
  const isExact = match === 'Exact' || (match === undefined && limitOf(query) > 0);
  if (wanted === 0 || !isExact) return store.version;
  if (wanted >= store.forgottenBelow) return wanted;
  throw expired('The resourceVersion for the provided list is too old.');
}

function versionOfToken(store: ObjectStore, { rv, start }: Token): number {
  if (rv === newest) return store.version;
  if (rv >= store.forgottenBelow) return rv;
  throw expired(tooOldToken, encoded({ rv: newest, start }));
}

function tokenIn(query: Query): Token | undefined {
  const text = String(query['continue'] ?? '');
  if (text === '') return undefined;
  const token = decoded(text);
  if (query['resourceVersion'] && query['resourceVersion'] !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  return token;
}

function decoded(text: string): Token {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    throw badRequest('invalid continue token: continue key is not valid');
  }
}

function encoded(token: Token): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', ...token })).toString('base64url');
}
