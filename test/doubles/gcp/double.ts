/**
 * A double of Google Compute Engine and of Google's token endpoint, on the wire. What it lacks:
 * permissions, quotas by number, filters, aggregated lists, and a catalog: each network, image or
 * zone
 * exists, by any name.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { listening } from '../../support/listening.ts';
import { administer } from './admin-routes.ts';
import type { SeenCall } from './admin-routes.ts';
import { errorAnswer, Refusal } from './answers.ts';
import type { ErrorWords, HttpAnswer } from './answers.ts';
import { Cloud } from './cloud.ts';
import type { CloudTimes } from './cloud.ts';
import { callOf, serve } from './compute-routes.ts';
import { Faults } from './faults.ts';
import type { Fault, FaultedCall } from './faults.ts';
import { Tokens } from './tokens.ts';
import type { TokenRules } from './tokens.ts';
import { keptAlive } from '../../../deploy/local/virtual-cloud/http-server.ts';

export interface DoubleOptions extends Partial<CloudTimes>, TokenRules {
  /** Default: any that is free. */
  port?: number;
  /**
   * By so much the double's time goes on with each request, and by nothing else: how many requests
   * a call of the driver takes does not depend on the load of the machine. Default: the time is
   * that of the machine.
   */
  millisecondsPerRequest?: number;
}

export interface GcpDouble {
  /** For MILLWRIGHT_GCP_ENDPOINT. */
  url: string;
  /** For MILLWRIGHT_GCP_TOKEN_ENDPOINT. */
  tokenUrl: string;
  cloud: Cloud;
  faults: Faults;
  tokens: Tokens;
  /** All requests, in the order of their arrival; those for tokens among them. */
  calls: SeenCall[];
  /** Its clock jumps. */
  advance(seconds: number): void;
  /** All jumps are taken back. */
  resetClock(): void;
  close: () => Promise<void>;
}

type World = Omit<GcpDouble, 'url' | 'tokenUrl' | 'close' | 'advance' | 'resetClock'> & {
  now: () => number;
};

export async function startGcpDouble(options: DoubleOptions = {}): Promise<GcpDouble> {
  const { pendingMilliseconds = 5, runningMilliseconds = 10 } = options;
  const startedAt = Date.now();
  let requestCount = 0;
  let ahead = 0;
  const { millisecondsPerRequest: step } = options;
  const world: World = {
    cloud: new Cloud({ pendingMilliseconds, runningMilliseconds }),
    faults: new Faults(),
    tokens: new Tokens(options),
    calls: [],
    now: () => ahead + (step === undefined ? Date.now() : startedAt + requestCount * step),
  };
  const server = createServer(keptAlive, (request, response) => {
    requestCount += 1;
    void handle(world, request, response);
  });
  const { url, close } = await listening(server, options.port);
  return {
    ...world,
    url,
    tokenUrl: `${url}/token`,
    advance(seconds) {
      ahead += seconds * 1_000;
    },
    resetClock() {
      ahead = 0;
    },
    close,
  };
}

interface Received {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  text: string;
}

async function handle(
  world: World,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const received = await receive(incoming);
  try {
    const answer = answerTo(world, received);
    if (answer === 'cut') {
      incoming.socket.destroy();
      return;
    }
    if (answer !== 'hang') send(response, answer);
  } catch (error) {
    const message = error instanceof Error ? String(error.stack) : String(error);
    send(response, errorAnswer({ status: 500, reason: 'doubleIsBroken', message }));
  }
}

async function receive(incoming: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const { method = 'GET', headers } = incoming;
  const url = new URL(incoming.url ?? '/', 'http://double');
  return { method, url, headers, text: Buffer.concat(chunks).toString('utf8') };
}

function send(response: ServerResponse, { status, body, headers }: HttpAnswer): void {
  const isPage = typeof body === 'string';
  const type = isPage ? 'text/html; charset=utf-8' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(isPage ? body : JSON.stringify(body));
}

type Outcome = HttpAnswer | 'cut' | 'hang';

function answerTo(world: World, received: Received): Outcome {
  const { method, url, text } = received;
  if (url.pathname.startsWith('/_double/')) {
    return administer(world, `${method} ${url.pathname}`, jsonOf(text));
  }
  const body = url.pathname === '/token' ? undefined : jsonOf(text);
  const call = url.pathname === '/token' ? { operation: 'token' as const } : named(received, body);
  if (!('operation' in call)) return call;
  const faults = world.faults.take(call);
  const seen: SeenCall = { ...call, method, path: url.pathname + url.search, status: 0 };
  const requestId = url.searchParams.get('requestId');
  if (requestId !== null) seen.requestId = requestId;
  world.calls.push(seen);
  const outcome = withFaults(faults, () => work(world, { received, body, call, faults }));
  if (typeof outcome === 'object') seen.status = outcome.status;
  return outcome;
}

function named({ method, url }: Received, body: unknown): FaultedCall | HttpAnswer {
  try {
    return callOf(method, url, body);
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

function jsonOf(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withFaults(faults: readonly Fault[], doWork: () => HttpAnswer): Outcome {
  const kinds = faults.map(({ kind }) => kind);
  if (kinds.includes('hang')) return 'hang';
  if (kinds.includes('cutBefore')) return 'cut';
  const stranger = faults.find(({ kind }) => kind === 'html');
  if (stranger) return { status: stranger.status ?? 404, body: notFoundPage };
  if (kinds.includes('empty')) return { status: 200, body: {} };
  const refused = faults.map(refusalOf).find((answer) => answer !== undefined);
  if (refused) return refused;
  const answer = doWork();
  return kinds.includes('loseAnswer') ? 'cut' : answer;
}

const notFoundPage = '<!DOCTYPE html><title>Error 404 (Not Found)!!1</title><p>That’s all we know.';

const refusals: Partial<Record<Fault['kind'], (fault: Fault) => ErrorWords>> = {
  rateLimit: () => ({
    status: 403,
    reason: 'rateLimitExceeded',
    message: 'Rate Limit Exceeded',
    infoReason: 'RATE_LIMIT_EXCEEDED',
  }),
  tooMany: () => ({ status: 429, reason: 'rateLimitExceeded', message: 'slow down' }),
  quota: () => ({
    status: 403,
    reason: 'quotaExceeded',
    message: "Quota 'CPUS' exceeded. Limit: 24.0 in region europe-west1.",
  }),
  error: ({ status = 400, reason = 'invalid', message = 'ordered', infoReason }) => ({
    status,
    reason,
    message,
    ...(infoReason !== undefined && { infoReason }),
  }),
};

function refusalOf(fault: Fault): HttpAnswer | undefined {
  const words = refusals[fault.kind]?.(fault);
  const { seconds } = fault;
  const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return words && errorAnswer({ ...words, headers });
}

interface Work {
  received: Received;
  body: unknown;
  call: FaultedCall;
  faults: readonly Fault[];
}

function work(world: World, { received, body, call, faults }: Work): HttpAnswer {
  const { method, url, headers, text } = received;
  try {
    if (call.operation === 'token') {
      return { status: 200, body: world.tokens.issue(new URLSearchParams(text)) };
    }
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    if (!world.tokens.isIssued(token)) return unauthenticated();
    const mask = headers['x-goog-fieldmask'];
    const fieldMask = typeof mask === 'string' ? mask : undefined;
    return serve(world, { method, url, fieldMask, body, faults });
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

function unauthenticated(): HttpAnswer {
  return errorAnswer({
    status: 401,
    reason: 'required',
    message: 'Request had invalid authentication credentials.',
    infoReason: 'ACCESS_TOKEN_TYPE_UNSUPPORTED',
  });
}
