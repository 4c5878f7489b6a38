/** A request as it came over HTTP, and what it asks of the API server. */
import type { IncomingMessage } from 'node:http';
import type { PatchType, Query } from '../../../kube/client/client.ts';
import type { Body } from './creation.ts';
import type { DeleteOptions } from './deletion.ts';
import type { Patch } from './patching.ts';

export interface Request {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  /** Empty where none was sent, or none that is JSON. */
  body: Body & DeleteOptions;
  isMalformed: boolean;
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
    ...bodyIn(text),
  };
}

function bodyIn(text: string): Pick<Request, 'body' | 'isMalformed'> {
  try {
    return { body: text === '' ? {} : JSON.parse(text), isMalformed: false };
  } catch {
    return { body: {}, isMalformed: true };
  }
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
  return { type: typesOfPatches[headers['content-type'] ?? ''], body };
}
