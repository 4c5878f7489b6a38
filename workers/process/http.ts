/** The HTTP port of a process: plain and without authentication, as MCM's. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics/registry.ts';

export interface HttpOptions {
  address: string;
  /** 0: any free port. */
  port: number;
  metrics: Pick<Metrics, 'contentType' | 'text'>;
  /** False makes /healthz say 500, and Kubernetes restart the pod. */
  isHealthy: () => boolean;
  /** Why this process does no work yet or any more; undefined when it works. */
  whyNotReady: () => string | undefined;
  log: Logger;
}

export interface HttpPort {
  /** The real one where 0 was asked for. */
  port: number;
  close(): Promise<void>;
}

interface HttpAnswer {
  code: number;
  text: string;
  type?: string;
}

/**
 * Go takes it for all addresses, those of IPv6 as well, and so do MCM's users: on a cluster without
 * IPv4 the kubelet would get no answer to its probes, and restart the pod for ever.
 */
const everyAddress = '0.0.0.0';

/** Fails when the port is taken. */
export async function openHttpPort(options: HttpOptions): Promise<HttpPort> {
  const { address, port, log } = options;
  const server = createServer((request, response) => void respond(options, request, response));
  await listen(server, address, port);
  const realPort = portOf(server);
  log.info({ address, port: realPort }, 'serving /healthz, /readyz, /metrics and /configz');
  return { port: realPort, close: () => close(server) };
}

/** A port that was free a moment ago, for servers that do not report which one they took. */
export async function freeLoopbackPort(): Promise<number> {
  const server = createServer();
  await listen(server, '127.0.0.1', 0);
  const port = portOf(server);
  await close(server);
  return port;
}

async function respond(
  options: HttpOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { code, text, type = 'text/plain; charset=utf-8' } = await answerTo(options, request);
  response.writeHead(code, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(request.method === 'HEAD' ? undefined : text);
}

type Handler = (options: HttpOptions) => HttpAnswer | Promise<HttpAnswer>;

const pages = new Map<string, Handler>([
  ['/healthz', healthOf],
  ['/readyz', readinessOf],
  ['/metrics', metricsOf],
  // MCM serves an empty object here.
  ['/configz', () => ({ code: 200, text: '{}', type: 'application/json' })],
]);

async function answerTo(
  options: HttpOptions,
  { method, url = '' }: IncomingMessage,
): Promise<HttpAnswer> {
  if (method !== 'GET' && method !== 'HEAD') {
    return { code: 405, text: 'Only GET and HEAD are allowed.\n' };
  }
  const page = pages.get(url.split('?')[0] ?? '');
  return page?.(options) ?? { code: 404, text: `Known are ${[...pages.keys()].join(', ')}.\n` };
}

function healthOf({ isHealthy }: HttpOptions): HttpAnswer {
  return isHealthy() ? { code: 200, text: 'OK' } : { code: 500, text: 'Unhealthy' };
}

function readinessOf({ whyNotReady }: HttpOptions): HttpAnswer {
  const reason = whyNotReady();
  return reason === undefined ? { code: 200, text: 'OK' } : { code: 503, text: `${reason}\n` };
}

async function metricsOf({ metrics, log }: HttpOptions): Promise<HttpAnswer> {
  try {
    return { code: 200, text: await metrics.text(), type: metrics.contentType };
  } catch (err) {
    log.error({ err }, 'metrics cannot be collected');
    return { code: 500, text: 'The metrics cannot be collected; see the log.\n' };
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

function listen(server: Server, address: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(address !== everyAddress && { host: address }) }, resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
