/**
 * Stands in front of a cloud's server, ours or a real one, and does what networks and clouds do to
 * a call: faults need no double then. It counts the calls.
 */
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { listening } from '../../../support/listening.ts';

export type Fault =
  /** Nothing reaches the cloud; the connection is cut. */
  | { kind: 'cutBefore' }
  /** The cloud has done it; the connection is cut. */
  | { kind: 'loseAnswer' }
  /** The cloud has done it, and no answer ever comes. */
  | { kind: 'silence' }
  /** Nothing reaches the cloud, and no answer ever comes. */
  | { kind: 'deafness' }
  | { kind: 'answer'; status: number; headers?: Record<string, string>; text: string }
  | { kind: 'slow'; milliseconds: number };

export interface ProxyRule {
  /** Default: every call. */
  matches?: (call: ProxiedCall) => boolean;
  /** Of those that match, from 1. Default: each. */
  nth?: number;
  fault: Fault;
  /** Called when it happens, before anything else. */
  onHit?: () => void;
}

export interface ProxiedCall {
  method: string;
  /** With its query. */
  path: string;
}

export const htmlNotFound: Fault = {
  kind: 'answer',
  status: 404,
  headers: { 'content-type': 'text/html' },
  text: '<html><body>404 page not found</body></html>',
};

export const tooManyCalls = (headers: Record<string, string> = {}): Fault => ({
  kind: 'answer',
  status: 429,
  headers,
  text: 'slow down',
});

export interface FaultProxy extends AsyncDisposable {
  url: string;
  /** In the order in which they came. */
  calls: ProxiedCall[];
  /** They hold until they are cleared; the first that matches counts. */
  add: (rule: ProxyRule) => void;
  clear: () => void;
}

/**
 * `target`: of the server, or by the path of a call where there are several. `ca`: of its
 * certificate, where it has one.
 */
export async function startFaultProxy(
  target: string | ((path: string) => string),
  ca?: string,
): Promise<FaultProxy> {
  const calls: ProxiedCall[] = [];
  let rules: { rule: ProxyRule; count: number }[] = [];
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = { method: request.method ?? 'GET', path: request.url ?? '/' };
    const body = await buffer(request);
    calls.push(call);
    const upstream = new URL(typeof target === 'string' ? target : target(call.path));
    await serve({ request, response, body, upstream, ca }, faultOf(call));
  };
  const faultOf = (call: ProxiedCall): Fault | undefined => {
    for (const entry of rules) {
      const { matches = () => true, nth, fault, onHit } = entry.rule;
      if (!matches(call)) continue;
      entry.count += 1;
      if (nth !== undefined && entry.count !== nth) continue;
      onHit?.();
      return fault;
    }
    return undefined;
  };
  return {
    ...(await listening(server)),
    calls,
    add: (rule) => void rules.push({ rule, count: 0 }),
    clear: () => {
      rules = [];
    },
  };
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  body: Buffer;
  upstream: URL;
  ca: string | undefined;
}

async function serve(exchange: Exchange, fault: Fault | undefined): Promise<void> {
  const { response } = exchange;
  if (fault?.kind === 'deafness') return;
  if (fault?.kind === 'cutBefore') {
    response.destroy();
    return;
  }
  if (fault?.kind === 'answer') {
    response.writeHead(fault.status, fault.headers).end(fault.text);
    return;
  }
  if (fault?.kind === 'slow') await sleep(fault.milliseconds);
  const answer = await forward(exchange);
  const text = await buffer(answer);
  if (fault?.kind === 'silence') return;
  if (fault?.kind === 'loseAnswer') {
    response.destroy();
    return;
  }
  response.writeHead(answer.statusCode ?? 502, answer.headers).end(text);
}

async function forward({ request, body, upstream, ca }: Exchange): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const send = upstream.protocol === 'https:' ? httpsRequest : httpRequest;
  const sent = send(
    {
      host: upstream.hostname,
      port: upstream.port,
      path: request.url,
      method: request.method,
      headers: { ...request.headers, host: upstream.host },
      ...(ca !== undefined && { ca }),
    },
    resolve,
  );
  sent.on('error', reject);
  sent.end(body);
  return await promise;
}
