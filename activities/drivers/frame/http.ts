/** Calls of a cloud's REST API. Each makes one request; nothing is sent again here. */
import { EnvHttpProxyAgent, type Dispatcher } from 'undici';
import { noteCloudRequest } from '../../system/cloud-requests.ts';
import { anySignal, nowMs, timeoutSignal } from '../../system/system.ts';
import { DriverError } from '../driver.ts';
import { meanings, type MeaningName } from '../error-meanings.ts';
import type { Environment } from '../settings.ts';
import { parsedJson } from '../../../workflows/values/parsed-json.ts';

export interface RestAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
  /** Undefined when the text is no JSON, or not what `RestOptions.parse` reads. */
  json: unknown;
}

/** What a cloud says of a failed call. */
export interface Refusal {
  meaning: MeaningName;
  /** The cloud's own, for people. */
  code?: string | undefined;
  words: string;
  /** Where the cloud says it in a way of its own. Default: by the usual headers. */
  retryAfterSeconds?: number;
}

export interface Tls {
  /** PEM. Default: what the process trusts. */
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
  /** The name in the server's certificate. Default: that of the URL. */
  servername?: string | undefined;
  /** False: any certificate is taken. Default true. */
  rejectUnauthorized?: boolean | undefined;
}

export interface RestOptions {
  /** As messages begin: `Hetzner Cloud`. */
  title: string;
  /** Paths of calls are below its path. */
  url: URL;
  /** Limit of one call, with its token. */
  callTimeoutSeconds: number;
  /** Those of each call, such as its token. */
  headers: (signal: AbortSignal) => Record<string, string> | Promise<Record<string, string>>;
  tls?: Tls | undefined;
  /** Of the process: `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`. */
  env: Environment;
  /** Undefined: the answer has not the form of this cloud, so something in between gave it. */
  refusalIn: (answer: RestAnswer) => Refusal | undefined;
  /** Under which the cloud knows the call. */
  requestIdHeader?: string;
  /**
   * False: `RateLimit-Reset` says when all calls are to be had again, and not the next one, so it
   * is not waited for. Default true.
   */
  waitsForReset?: boolean;
  /** Reads answers; undefined where the text is none of this cloud. Default: as JSON. */
  parse?: (text: string) => unknown;
}

export interface RestCall {
  /** In words, for errors: `create server a`. */
  what: string;
  method: Dispatcher.HttpMethod;
  /** With its query. */
  path: string;
  /** Sent as JSON; text as it is. */
  body?: object | string;
  headers?: Record<string, string>;
  signal: AbortSignal;
  /** The answer is text of any form. Default false: it is JSON, or empty. */
  takesText?: boolean;
  /**
   * What is refused here made nothing, and what it says is not there is something that the class
   * names. Default false.
   */
  isCreate?: boolean;
}

export interface RestClient {
  /** Fails with a `DriverError` for every answer that is no success. */
  send: (call: RestCall) => Promise<RestAnswer>;
  close: () => Promise<void>;
}

const connectionsMax = 64;
/** A page of a listing has some hundred KiB. */
const longestAnswerBytes = 32 * 1_024 * 1_024;

/** A client that takes any certificate warns in the log, and says `(insecure)` in each message. */
export function createRestClient(given: RestOptions): RestClient {
  const { title, url, tls } = given;
  const isInsecure = tls?.rejectUnauthorized === false;
  const options = isInsecure ? { ...given, title: `${title} (insecure)` } : given;
  if (isInsecure) {
    process.emitWarning(
      `${title}: the certificates of ${url.host} are NOT checked, as the Secret of a MachineClass says: a machine in between can read its credentials`,
    );
  }
  const agent = agentOf(options);
  return {
    send: (call) => send(agent, options, call),
    close: () => agent.destroy(),
  };
}

function agentOf({ env, tls = {} }: RestOptions): EnvHttpProxyAgent {
  const variable = (name: string): string | undefined => env[name.toLowerCase()] ?? env[name];
  const httpProxy = variable('HTTP_PROXY');
  const httpsProxy = variable('HTTPS_PROXY');
  const noProxy = variable('NO_PROXY');
  const { rejectUnauthorized = true } = tls;
  const given = {
    rejectUnauthorized,
    ...(tls.ca && { ca: tls.ca }),
    ...(tls.cert && { cert: tls.cert }),
    ...(tls.key && { key: tls.key }),
    ...(tls.servername && { servername: tls.servername }),
  };
  return new EnvHttpProxyAgent({
    connections: connectionsMax,
    maxResponseSize: longestAnswerBytes,
    keepAliveTimeout: 30_000,
    connect: { ...given, timeout: 10_000 },
    requestTls: given,
    // An empty text keeps undici from reading the variables of the process itself.
    httpProxy: httpProxy ?? '',
    httpsProxy: httpsProxy ?? '',
    noProxy: noProxy ?? '',
  });
}

async function send(agent: Dispatcher, options: RestOptions, call: RestCall): Promise<RestAnswer> {
  const timeout = timeoutSignal(options.callTimeoutSeconds * 1_000);
  const signal = anySignal([call.signal, timeout]);
  let answer: RestAnswer;
  try {
    answer = await exchange(agent, options, { ...call, signal });
  } catch (error) {
    if (error instanceof DriverError) throw error;
    throw interruption(options, call, timeout) ?? broken(options, call, error);
  }
  const { requestIdHeader } = options;
  const requestId = requestIdHeader && answer.headers[requestIdHeader.toLowerCase()];
  noteCloudRequest(requestId, call.method !== 'GET');
  if (answer.status >= 400) throw refused(options, call, answer);
  const isReadable = call.takesText === true || answer.text === '' || answer.json !== undefined;
  if (answer.status >= 300 || !isReadable) {
    throw new DriverError({
      code: 'Unknown',
      message: `${startOf(options, call)}: status ${answer.status} is not an answer of this cloud (is something in between?): ${clipped(answer.text)}`,
      settled: false,
    });
  }
  return answer;
}

async function exchange(
  agent: Dispatcher,
  { url, headers, parse = parsedJson }: RestOptions,
  { method, path, body, signal, headers: more }: RestCall,
): Promise<RestAnswer> {
  const own = await untilAborted(headers(signal), signal);
  const response = await agent.request({
    origin: url.origin,
    path: `${url.pathname.replace(/\/$/, '')}${path}`,
    method,
    headers: {
      'user-agent': 'millwright',
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...own,
      ...more,
    },
    body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
    signal,
  });
  const text = await response.body.text();
  return { status: response.statusCode, headers: response.headers, text, json: parse(text) };
}

/** A token that never comes ends with its call. */
async function untilAborted<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new Error('aborted', { cause: signal.reason }));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const startOf = ({ title }: RestOptions, { what }: RestCall): string => `${title}: ${what}`;

function interruption(
  options: RestOptions,
  call: RestCall,
  timeout: AbortSignal,
): DriverError | undefined {
  const start = startOf(options, call);
  if (call.signal.aborted) {
    return new DriverError({ code: 'Canceled', message: `${start}: cancelled`, settled: false });
  }
  if (!timeout.aborted) return undefined;
  const message = `${start}: no answer within ${options.callTimeoutSeconds} s`;
  return new DriverError({ code: 'DeadlineExceeded', message, settled: false });
}

const neverSent: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT'];

/** The cause is not handed on: it may hold the request, and with it token and user data. */
function broken(options: RestOptions, call: RestCall, cause: unknown): DriverError {
  const words = cause instanceof Error ? cause.message || cause.name : String(cause);
  const isSettled = call.isCreate === true && neverSent.includes(Object(cause)['code']);
  return new DriverError({
    code: 'Unavailable',
    message: `${startOf(options, call)}: ${words}`,
    settled: isSettled,
  });
}

function refused(options: RestOptions, call: RestCall, answer: RestAnswer): DriverError {
  const { isCreate = false } = call;
  const refusal = options.refusalIn(answer);
  const meaning = refusal ? meaningFor(refusal, isCreate) : meaningOfStranger(answer.status);
  const { isRefusal, ...known } = meanings[meaning];
  const code = refusal?.code ? ` ${refusal.code}` : '';
  const whose = refusal ? '' : ' (not an answer of this cloud; is something in between?)';
  const words = refusal ? refusal.words : clipped(answer.text);
  const retryAfterSeconds = refusal?.retryAfterSeconds ?? secondsToWait(answer, options);
  return new DriverError({
    ...known,
    message: `${startOf(options, call)}: Error ${answer.status}${code}${whose}: ${words}`,
    settled: isCreate && isRefusal,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** What a create does not find is what the class names. */
function meaningFor({ meaning }: Refusal, isCreate: boolean): MeaningName {
  return isCreate && meaning === 'missing' ? 'input' : meaning;
}

function meaningOfStranger(status: number): MeaningName {
  if (status === 408 || status === 504) return 'unanswered';
  return status === 429 || status >= 500 ? 'unavailable' : 'unknown';
}

/** `Retry-After` in seconds or as a date; of too many calls also when the limit begins anew. */
function secondsToWait(
  { status, headers }: RestAnswer,
  { waitsForReset = true }: RestOptions,
): number | undefined {
  const retryAfter = headers['retry-after'];
  if (typeof retryAfter === 'string' && retryAfter.trim() !== '') {
    const seconds = Number(retryAfter);
    if (Number.isFinite(seconds)) return Math.max(0, seconds);
    const until = Date.parse(retryAfter);
    return Number.isNaN(until) ? undefined : secondsUntil(until);
  }
  const reset = Number(headers['ratelimit-reset'] ?? Number.NaN);
  if (status !== 429 || !waitsForReset || !Number.isFinite(reset)) return undefined;
  // Of clouds mostly a time, in the standard's draft a number of seconds.
  return reset > earliestTime ? secondsUntil(reset * 1_000) : Math.max(0, reset);
}

/** Seconds since 1970; what is less is no time of an answer. */
const earliestTime = 1_000_000_000;

function secondsUntil(milliseconds: number): number {
  return Math.max(0, Math.ceil((milliseconds - nowMs()) / 1_000));
}

export function clipped(text: string): string {
  return text === '' ? 'an empty answer' : text.slice(0, 200);
}

/** Undefined when the cloud itself says that just this does not exist. */
export async function orAbsent<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof DriverError && error.code === 'NotFound') return undefined;
    throw error;
  }
}
