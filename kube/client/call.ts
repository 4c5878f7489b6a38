/** Calls, and how they are written on the wire. */
import type { Dispatcher } from 'undici';
import type { Query } from './client.ts';
import type { TransportRequest } from './transport.ts';

export interface Call {
  method: Dispatcher.HttpMethod;
  path: string;
  query?: Query | undefined;
  body?: unknown;
  /** Type of the body. Default `application/json`. */
  contentType?: string;
}

export function requestOf(call: Call): Omit<TransportRequest, 'signal' | 'pool'> {
  const { as, ...parameters } = call.query ?? {};
  // Only a list has `limit`, and the kind of a list has a name of its own.
  const kind = 'limit' in parameters ? `${as}List` : `${as}`;
  const contentType = call.contentType ?? 'application/json';
  return {
    method: call.method,
    path: call.path + queryString(parameters),
    headers: {
      accept: `application/json${as === undefined ? '' : `;as=${kind};g=meta.k8s.io;v=v1`}`,
      ...(call.body === undefined ? {} : { 'content-type': contentType }),
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  };
}

function queryString(query: Query): string {
  const pairs = Object.entries(query).flatMap(([key, value]): [string, string][] =>
    value === undefined ? [] : [[key, String(value)]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}
