/** A request as it came over HTTP, and what it asks of the API server. */
import type { IncomingMessage } from 'node:http';
import type { PatchType, Query } from '../../../activities/kube/client/client.ts';
import type { Body } from './creation.ts';
import type { DeleteOptions } from './deletion.ts';
import type { Patch } from './patching.ts';
import { badRequest, unsupportedMediaType } from './status.ts';

export interface Request {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  /** Empty where none was sent. */
  body: Body & DeleteOptions;
}

export async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const url = new URL(incoming.url ?? '/', 'http://in-memory');
  let text = '';
  incoming.setEncoding('utf8');
  for await (const chunk of incoming) text += String(chunk);
  return {
    method: incoming.method ?? '',
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    headers: incoming.headers,
    body: text === '' ? {} : JSON.parse(text),
  };
}

/** The parameters of the URL, and what kind of answer the client accepts. */
export function queryOf({ query, headers: { accept = '' } }: Request): Query {
  const isMetadata = accept.includes('as=PartialObjectMetadata');
  return { ...Object.fromEntries(query), ...(isMetadata && { as: 'PartialObjectMetadata' }) };
}

const typesOfPatches: Record<string, PatchType | undefined> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
};

export function patchOf({ headers, body }: Request): Patch {
  const type = typesOfPatches[headers['content-type'] ?? ''];
  if (!type)
    throw unsupportedMediaType([...Object.keys(typesOfPatches), 'application/apply-patch+yaml']);
  if (body === undefined) throw badRequest('error decoding patch: unexpected end of JSON input');
  return { type, body };
}
