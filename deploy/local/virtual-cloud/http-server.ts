/** HTTP and JSON around the routes; breaks connections on command. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './answers.ts';
import { refusal } from './answers.ts';
import { BadRequest } from './fields.ts';
import type { ApiRequest } from './routes.ts';

export interface HttpParts {
  handle: (request: ApiRequest) => Answer;
  callMilliseconds: () => number;
  onError: (error: unknown) => void;
}

const bodyBytesMax = 1024 * 1024;

export function createHttpServer(parts: HttpParts): Server {
  const server = createServer(keptAlive, (request, response) => {
    respond(parts, request, response).catch((error: unknown) => {
      // The caller went away while we read or wrote.
      if (!response.destroyed && !isReset(error)) parts.onError(error);
      response.destroy();
    });
  });
  // Longer than clients keep an idle connection, so that none is closed under a request.
  server.keepAliveTimeout = 65_000;
  server.headersTimeout = 70_000;
  return server;
}

async function respond(
  parts: HttpParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = await answerTo(parts, request);
  if (answer.isCloudCall) await pass(response, parts.callMilliseconds());
  if (answer.delivery === 'hang') await pass(response, (answer.hangSeconds ?? 0) * 1_000);
  if (answer.delivery !== 'send') {
    response.destroy();
    return;
  }
  const headers = { 'content-type': 'application/json', 'x-request-id': randomUUID() };
  response.writeHead(answer.status, { ...headers, ...answer.headers });
  response.end(`${JSON.stringify(answer.body)}\n`);
}

async function answerTo(parts: HttpParts, request: IncomingMessage): Promise<Answer> {
  try {
    return parts.handle(await read(request));
  } catch (error) {
    if (error instanceof BadRequest) {
      const { message } = error;
      return refusal({ code: 'InvalidArgument', reason: 'BadRequest', message });
    }
    parts.onError(error);
    const message = error instanceof Error ? error.message : String(error);
    return refusal({ code: 'Internal', reason: 'InternalError', message });
  }
}

async function read(request: IncomingMessage): Promise<ApiRequest> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://virtual-cloud');
  const body = await readBody(request);
  return { method: request.method ?? '', path: pathname, query: searchParams, body };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyBytesMax) throw new BadRequest(`body: larger than ${bodyBytesMax} bytes`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new BadRequest(`body: ${JSON.stringify(text.slice(0, 100))} is not JSON`);
  }
}

/** Lets the time pass, unless the caller gives up before. */
async function pass(response: ServerResponse, milliseconds: number): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    await sleep(milliseconds, undefined, { signal: gone.signal });
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}

/**
 * Settings of servers that stand in for a cloud: Node.js closes connections that were idle for 5 s,
 * perhaps just when a process on a busy machine uses one again.
 */
export const keptAlive = { keepAliveTimeout: 0 };
