/**
 * The KubeClient that talks to a real API server: pooled connections, raw JSON, bounded retries.
 */
import type { Dispatcher } from 'undici';
import { quoted } from '../../workflows/api/validation.ts';
import type { KubeClient, KubeList, PatchType, Query, WatchEvent } from './client.ts';
import { KubeError, errorOfAnswer, errorOfTransport, isGone, tooLarge } from './errors.ts';
import { PageSize, pagesOf, type Page, type PageQuery } from './paging.ts';
import {
  createTransport,
  type Transport,
  type TransportOptions,
  type TransportRequest,
} from './transport.ts';
import { whole } from './normalize.ts';
import { random, timeoutSignal, sleep } from '../../activities/system/system.ts';
import { backoffMs } from '../../workflows/values/backoff.ts';

export interface KubeClientOptions extends TransportOptions {
  /** Recorded as the owner of the fields that we write. Default `millwright`. */
  fieldManager?: string;
  /** A call fails after so long, each retry and each page of a list anew. Default 10 s. */
  callTimeoutMs?: number;
  /** All waits between attempts of a call together. Default 2 s; 0: the caller tries again. */
  retryForMs?: number;
  /**
   * An answer with more is given up. Default 16 MiB: ten objects of the largest size that etcd
   * takes.
   */
  longestAnswerBytes?: number;
  /**
   * A list with more, in all its pages, is given up: a tenant may name a server whose lists have no
   * end. Default 64 MiB, that of some 10,000 Machines.
   */
  longestListBytes?: number;
}

const defaultLongestAnswerBytes = 16 * 1024 * 1024;
const defaultLongestListBytes = 64 * 1024 * 1024;
/** An expired continue token starts the list again; a list that never gets through is an error. */
const listAttemptsMax = 3;

const contentTypes: Record<PatchType, string> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
};

export function createKubeClient(options: KubeClientOptions): KubeClient {
  const transport = createTransport(options);
  const limits: Limits = {
    timeoutMs: options.callTimeoutMs ?? 10_000,
    longestAnswerBytes: options.longestAnswerBytes ?? defaultLongestAnswerBytes,
  };
  const query = { fieldManager: options.fieldManager ?? 'millwright' };

  const mostOfList = options.longestListBytes ?? defaultLongestListBytes;

  async function answerTo<T>(call: Call, take?: (characters: number) => void): Promise<T> {
    if (!canExist(call.path)) throw nothingThere(call);
    const text = await withRetries(call, () => textOf(transport, call, limits), options.retryForMs);
    take?.(text.length);
    const answer: T = parse(call, text);
    return answer;
  }

  /** Reads pages of one list. */
  function pageReader<T>(path: string, parameters: Query) {
    let taken = 0;
    return async (page: PageQuery): Promise<Page<T>> =>
      await answerTo({ method: 'GET', path, query: { ...parameters, ...page } }, (characters) => {
        taken += characters;
        if (taken > mostOfList) throw tooLarge(path, `it has more than ${mostOfList} bytes`);
      });
  }

  /** By path. */
  const pageSizes = new Map<string, PageSize>();

  function pageSizeOf(path: string): PageSize {
    const size = pageSizes.get(path) ?? new PageSize(path);
    pageSizes.set(path, size);
    return size;
  }

  return {
    get: (path, parameters) => answerTo({ method: 'GET', path, query: parameters }),
    list: (path, parameters = {}) => allPages(() => pageReader(path, parameters), pageSizeOf(path)),
    create: (path, body) => answerTo({ method: 'POST', path, query, body }),
    update: (path, body) => answerTo({ method: 'PUT', path, query, body }),
    patch: (path, type, body) =>
      answerTo({ method: 'PATCH', path, query, body, contentType: contentTypes[type] }),
    delete: (path, body) => answerTo({ method: 'DELETE', path, body }),
    watch: (path, parameters, signal) =>
      eventsOf({ transport, limits }, { method: 'GET', path, query: parameters }, signal),
    close: () => transport.close(),
  };
}

/**
 * Names come from people, e.g. of a class in a spec: one that no object can have must neither reach
 * another resource (`../secrets/x`) nor fail as if the API server were out of reach.
 */
function canExist(path: string): boolean {
  const [, ...segments] = path.split('/');
  return segments.every((segment) => /^(?!\.+$)[\w.:-]+$/.test(segment));
}

function nothingThere({ method, path }: Call): KubeError {
  const message = `${quoted(path)}: no object can have such a name`;
  return new KubeError({ code: 404, reason: 'NotFound', message, method, path });
}

interface Limits {
  timeoutMs: number;
  longestAnswerBytes: number;
}

async function textOf(
  transport: Transport,
  call: Call,
  { timeoutMs, longestAnswerBytes }: Limits,
): Promise<string> {
  try {
    const signal = timeoutSignal(timeoutMs);
    const response = await transport.send({ ...requestOf(call), signal, pool: 'calls' });
    const text = await textWithin(response.body, longestAnswerBytes);
    if (text === undefined) throw answerTooLarge(call, longestAnswerBytes);
    if (response.statusCode >= 300) throw failureOf(call, response, text);
    return text;
  } catch (error) {
    throw errorOfTransport(call, error);
  }
}

/** Undefined when it has more bytes; the rest is not read, and the connection is closed. */
async function textWithin(
  body: AsyncIterable<Uint8Array>,
  longestBytes: number,
): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > longestBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString();
}

function answerTooLarge({ method, path }: Call, longestBytes: number): KubeError {
  const message = `the answer has more than ${longestBytes} bytes`;
  return new KubeError({ code: 413, reason: 'AnswerTooLarge', message, method, path });
}

async function allPages<T>(
  begin: () => (page: PageQuery) => Promise<Page<T>>,
  size: PageSize,
): Promise<KubeList<T>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await pagesFromStart(begin(), size);
    } catch (error) {
      if (!isGone(error) || attempt === listAttemptsMax) throw error;
    }
  }
}

async function pagesFromStart<T>(
  read: (page: PageQuery) => Promise<Page<T>>,
  size: PageSize,
): Promise<KubeList<T>> {
  let resourceVersion = '';
  const items: T[] = [];
  for await (const page of pagesOf(read, size)) {
    if (resourceVersion === '') resourceVersion = page.metadata.resourceVersion;
    for (const item of page.items ?? []) items.push(item);
  }
  return { metadata: { resourceVersion }, items };
}

async function* eventsOf<T>(
  { transport, limits: { longestAnswerBytes } }: { transport: Transport; limits: Limits },
  call: Call,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<T>> {
  // Spread, so that watches that were opened together do not end together.
  const timeoutSeconds = 300 + Math.floor(random() * 300);
  const query = { watch: true, allowWatchBookmarks: true, timeoutSeconds, ...call.query };
  try {
    const request = requestOf({ ...call, query });
    const response = await transport.send({ ...request, signal, pool: 'watches' });
    if (response.statusCode !== 200) {
      const text = await textWithin(response.body, longestAnswerBytes);
      throw failureOf(call, response, text ?? '');
    }
    for await (const line of linesOf(response.body, longestAnswerBytes)) {
      yield eventOf<T>(call, line);
    }
  } catch (error) {
    if (error instanceof LineTooLong) throw answerTooLarge(call, longestAnswerBytes);
    throw errorOfTransport(call, error);
  }
}

interface ErrorEvent {
  type: 'ERROR';
  object: { code?: number; reason?: string; message?: string };
}

function eventOf<T>(call: Call, line: string): WatchEvent<T> {
  const event: WatchEvent<T> | ErrorEvent = parse(call, line);
  if (event.type !== 'ERROR') return event;
  const { code = 500, reason = 'Unknown', message = line } = event.object;
  throw new KubeError({ code, reason, message, method: 'WATCH', path: call.path });
}

function failureOf(call: Call, response: Dispatcher.ResponseData, text: string): KubeError {
  const { method, path } = call;
  const retryAfter = response.headers['retry-after']?.toString();
  return errorOfAnswer({ method, path, code: response.statusCode, text, retryAfter });
}

/** The caller names the type: what an API server sends is taken at its word. */
function parse({ method, path }: Call, text: string): ReturnType<typeof JSON.parse> {
  try {
    return whole(JSON.parse(text));
  } catch (cause) {
    const message = `the answer is not JSON: ${text.slice(0, 100)}`;
    throw new KubeError({ code: 502, reason: 'NotJson', message, method, path, cause });
  }
}

const newline = 0x0a;

/** A line has more bytes than this client takes. */
class LineTooLong extends Error {}

/**
 * Bytes in, whole lines out; a line may span any number of chunks, also in the middle of a
 * character. Throws `LineTooLong` at one with more bytes, as a server that is none may send one
 * without an end.
 */
async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  longestBytes: number,
): AsyncGenerator<string> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const part of chunks) {
    const chunk = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = chunk.subarray(start, end);
      yield pending.length === 0 ? line.toString() : Buffer.concat([...pending, line]).toString();
      pending = [];
      pendingBytes = 0;
      start = end + 1;
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
    pendingBytes += chunk.length - start;
    if (pendingBytes > longestBytes) throw new LineTooLong(`a line of over ${longestBytes} bytes`);
  }
  // A rest without a newline is an event that was cut off by the end of the connection: it comes
  // again.
}

interface Repeatable {
  method: string;
  contentType?: string | undefined;
}

/** A longer outage is for the caller, who knows what the call is worth. */
const defaultRetryForMs = 2_000;
/** The first delay is between 25 and 75 ms. */
const delay = { firstMs: 75, maxMs: defaultRetryForMs, jitter: 2 / 3 };

/** `retryForMs`: all waits of the call together. */
export async function withRetries<T>(
  call: Repeatable,
  attempt: () => Promise<T>,
  retryForMs = defaultRetryForMs,
): Promise<T> {
  let waitedMs = 0;
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof KubeError) || !mayRepeat(call, error)) throw error;
      const delayMs = error.retryAfterMs ?? backoffMs({ attempt: tries, ...delay }, random());
      waitedMs += delayMs;
      if (waitedMs > retryForMs) throw error;
      await sleep(delayMs);
    }
  }
}

function mayRepeat({ method, contentType }: Repeatable, error: KubeError): boolean {
  // The server's own filter turned the request away before anything was done.
  if (error.reason === 'Throttled') return true;
  // A lost answer may hide a success: a create would be done twice, a JSON patch could add an entry
  // twice. The 429 of a POST that has a Status is an eviction that a PodDisruptionBudget refuses.
  if (method === 'POST' || contentType === 'application/json-patch+json') return false;
  return error.code === 429 || error.code === 503 || error.reason === 'Unreachable';
}

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
