/**
 * `millwright codec-server`: decrypts payloads for the Temporal UI and the command `temporal`, by
 * the protocol of Temporal's codec servers. A caller that it answers can read every payload.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { createCodec } from '../../workers/payloads/codec.ts';
import { readPayloadKeys } from '../../workers/payloads/keys.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import type { Answer } from '../command-line/answer.ts';
import type { OutputOptions } from '../command-line/options.ts';
import { isRecord } from '../../workflows/values/is-record.ts';

export interface CodecServerOptions extends OutputOptions {
  payloadKeys: string;
  address: string;
  /** 0: any free port. */
  port: number;
  /** Origins of pages that may ask, such as `https://temporal.example`. */
  origins: readonly string[];
  /** Undefined: everybody who reaches the address may ask. */
  tokenFile?: string | undefined;
}

/** The UI sends all payloads of a page at once. */
const longestBodyBytes = 32 * 1024 * 1024;

interface Reply {
  code: number;
  text: string;
  isJson?: boolean;
}

interface Rules {
  codec(): PayloadCodec;
  origins: readonly string[];
  token: string | undefined;
}

/** Listens. Throws when the keys or the token cannot be read, or the port is taken. */
export async function startCodecServer(
  options: CodecServerOptions,
): Promise<{ server: Server; url: string }> {
  const { address, port, origins, tokenFile } = options;
  const token = tokenFile === undefined ? undefined : readToken(tokenFile);
  const rules = { codec: codecOf(options.payloadKeys), origins, token };
  const server = createServer((request, response) => {
    void respond(request, response, rules);
  });
  server.listen(port, address);
  await once(server, 'listening');
  return { server, url: urlOf(server.address()) };
}

/** The file is read at each request: a key may be exchanged while the server runs. */
function codecOf(file: string): () => PayloadCodec {
  let codec = createCodec(readPayloadKeys(file));
  let failure = '';
  return () => {
    try {
      codec = createCodec(readPayloadKeys(file));
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== failure) console.error(`the keys stay as they were: ${reason}`);
      failure = reason;
    }
    return codec;
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  rules: Rules,
): Promise<void> {
  const { code, text, isJson = false } = await answerTo(request, rules);
  response.writeHead(code, {
    ...corsFor(request, rules),
    'Content-Type': isJson ? 'application/json' : 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
  });
  response.end(text);
}

/** Serves until SIGINT or SIGTERM. */
export async function serveCodec(options: CodecServerOptions): Promise<Answer> {
  const { server, url } = await startCodecServer(options);
  const from = options.origins.length > 0 ? `, for pages of ${options.origins.join(', ')}` : '';
  console.error(`${url} decodes payloads${from}`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  server.closeAllConnections();
  server.close();
  return { text: 'ended', data: {} };
}

function readToken(file: string): string {
  const token = readFileSync(file, 'utf8').trim();
  if (token.length < 16) throw new Error(`--token-file: ${file} must have 16 characters or more`);
  return token;
}

function urlOf(bound: AddressInfo | string | null): string {
  if (bound === null || typeof bound === 'string') throw new Error('it listens on no port');
  const host = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return `http://${host}:${bound.port}`;
}

/** A page of another origin gets no headers, so its browser keeps the answer from it. */
function corsFor({ headers }: IncomingMessage, { origins }: Rules): Record<string, string> {
  const { origin } = headers;
  if (origin === undefined || !origins.includes(origin)) return {};
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': 'content-type, authorization, x-namespace',
    Vary: 'Origin',
  };
}

async function answerTo(request: IncomingMessage, rules: Rules): Promise<Reply> {
  const refusal = refusalOf(request, rules);
  if (refusal) return refusal;
  const codec = rules.codec();
  const path = request.url?.split('?')[0];
  const work = path === '/encode' ? codec.encode : path === '/decode' ? codec.decode : undefined;
  if (!work) return { code: 404, text: 'there are POST /encode and POST /decode' };
  if (request.method === 'OPTIONS') return { code: 204, text: '' };
  if (request.method !== 'POST') return { code: 405, text: `${path} has to be a POST` };
  try {
    return { code: 200, text: await worked(request, work), isJson: true };
  } catch (error) {
    return { code: 400, text: reasonOf(error) };
  }
}

/** A preflight carries no token. */
function refusalOf({ method, headers }: IncomingMessage, rules: Rules): Reply | undefined {
  const { origin } = headers;
  if (origin !== undefined && !rules.origins.includes(origin)) {
    return { code: 403, text: `--allow-origin does not name ${origin}` };
  }
  if (method === 'OPTIONS' || rules.token === undefined) return undefined;
  const [given, wanted] = [headers.authorization ?? '', `Bearer ${rules.token}`].map((text) =>
    createHash('sha256').update(text).digest(),
  );
  // In a time that says nothing about where they differ.
  if (given && wanted && timingSafeEqual(given, wanted)) return undefined;
  return { code: 401, text: 'the header Authorization must be "Bearer" and the token' };
}

type Work = (
  payloads: Payload[],
  context: { type: 'workflow'; namespace: string; workflowId: string },
) => Promise<Payload[]>;

async function worked(request: IncomingMessage, work: Work): Promise<string> {
  const payloads = payloadsIn(await bodyOf(request));
  // No part of the encryption.
  const context = { type: 'workflow', namespace: '', workflowId: '' } as const;
  return payloadsText(await work(payloads, context));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    const bytes: Buffer = part;
    size += bytes.length;
    if (size > longestBodyBytes) {
      throw new PayloadsFault(`the body must be at most ${longestBodyBytes} bytes`);
    }
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}

class PayloadsFault extends Error {}

/** `{"payloads": [{"metadata": {"encoding": "..."}, "data": "..."}]}`. Throws what is wrong. */
export function payloadsIn(body: string): Payload[] {
  const value = parsed(body);
  const payloads = isRecord(value) ? value['payloads'] : undefined;
  if (!Array.isArray(payloads)) throw new PayloadsFault('payloads: must be a list');
  return payloads.map((payload: unknown, index) => payloadOf(payload, `payloads[${index}]`));
}

/** Payloads as codec servers of Temporal get and give them: protobuf as JSON, bytes in base64. */
export function payloadsText(payloads: readonly Payload[]): string {
  return JSON.stringify({
    payloads: payloads.map(({ metadata, data }) => ({
      metadata: Object.fromEntries(
        Object.entries(metadata ?? {}).map(([name, bytes]) => [name, textOf(bytes)]),
      ),
      data: textOf(data),
    })),
  });
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new PayloadsFault('the body must be JSON');
  }
}

function payloadOf(value: unknown, where: string): Payload {
  if (!isRecord(value)) throw new PayloadsFault(`${where}: must be an object`);
  const { metadata = {}, data = '' } = value;
  if (!isRecord(metadata)) throw new PayloadsFault(`${where}.metadata: must be an object`);
  const fields = Object.entries(metadata).map(([name, text]) => [
    name,
    bytesOf(text, `${where}.metadata.${name}`),
  ]);
  return { metadata: Object.fromEntries(fields), data: bytesOf(data, `${where}.data`) };
}

function bytesOf(text: unknown, where: string): Uint8Array {
  if (typeof text !== 'string') throw new PayloadsFault(`${where}: must be a text in base64`);
  return Buffer.from(text, 'base64');
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('base64');
}
