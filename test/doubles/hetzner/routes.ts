/** Collections and their pages, as all of Hetzner's API has them. */
import type { RestReply, RestRequest } from '../rest/rest-double.ts';
import { invalidInput, notFound, Refusal } from './answers.ts';
import { selectorIn, type Labels } from './labels.ts';

export interface Asked {
  request: RestRequest;
  id: number | undefined;
  /** Behind the id: `actions`, `assign`. */
  rest: readonly string[];
}

interface Listed {
  id: number;
  name: string | null;
  labels?: Labels;
  fingerprint?: string;
}

const pageMax = 50;

export function pageOf(
  { query }: RestRequest,
  collection: string,
  things: readonly Listed[],
): RestReply {
  const page = Number(query.get('page') ?? 1);
  const perPage = Number(query.get('per_page') ?? 25);
  if (!(perPage >= 1 && perPage <= pageMax)) {
    throw invalidInput([{ name: 'per_page', words: `must be between 1 and ${pageMax}` }]);
  }
  const found = filtered(query, things);
  const last = Math.max(1, Math.ceil(found.length / perPage));
  const pagination = {
    page,
    per_page: perPage,
    previous_page: page > 1 ? page - 1 : null,
    next_page: page < last ? page + 1 : null,
    last_page: last,
    total_entries: found.length,
  };
  const shown = found.slice((page - 1) * perPage, page * perPage);
  return { status: 200, body: { [collection]: shown, meta: { pagination } } };
}

function filtered(query: URLSearchParams, things: readonly Listed[]): Listed[] {
  const name = query.get('name');
  const fingerprint = query.get('fingerprint');
  const selector = query.get('label_selector');
  const matches = selector === null ? () => true : selectorIn(selector);
  if (!matches) throw invalidInput([{ name: 'label_selector', words: 'is not valid' }]);
  return things.filter(
    (thing) =>
      (name === null || thing.name === name) &&
      (fingerprint === null || thing.fingerprint === fingerprint) &&
      matches(thing.labels ?? {}),
  );
}

export function readOnly(
  { id, request, rest }: Asked,
  collection: string,
  things: readonly Listed[],
): RestReply {
  if (request.method !== 'GET' || rest.length > 0 || id === undefined) throw noRoute();
  const found = things.find((thing) => thing.id === id);
  if (!found) throw notFound(collection, id);
  return { status: 200, body: { [collection.replace(/s$/, '')]: found } };
}

export const noRoute = (): Refusal => new Refusal(404, 'not_found', 'requested route not found');
