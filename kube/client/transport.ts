/**
 * Connections to one API server: keep-alive pools of HTTP/1.1, certificates that rotate, one answer
 * per request.
 */
import { createSecureContext } from 'node:tls';
import { Agent, ProxyAgent } from 'undici';
import type { Dispatcher } from 'undici';
import { createCredentials } from './credentials.ts';
import type { Credential, Tls } from './credentials.ts';
import type { KubeConfig } from './kubeconfig.ts';
import { orAborted } from '../../activities/system/or-aborted.ts';
import { anySignal, timeoutSignal } from '../../activities/system/system.ts';

export interface TransportOptions {
  kubeConfig: KubeConfig;
  userAgent: string;
  /** Open connections for calls at most. Default 32. */
  connections?: number;
  /**
   * A watch that brings not one byte for so long fails. Default 90 s: bookmarks come each minute.
   */
  silenceMs?: number;
}

export interface TransportRequest {
  method: Dispatcher.HttpMethod;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** Watches have connections of their own: they hold one for minutes. */
  pool: 'calls' | 'watches';
}

export interface Transport {
  /** Resolves when the headers are there. */
  send(request: TransportRequest): Promise<Dispatcher.ResponseData>;
  close(): Promise<void>;
}

interface Pools {
  key: string;
  calls: Dispatcher;
  watches: Dispatcher;
}

export function createTransport(options: TransportOptions): Transport {
  const { kubeConfig, userAgent } = options;
  const { origin, pathname } = new URL(kubeConfig.cluster.server);
  const prefix = pathname.replace(/\/$/, '');
  const credentials = createCredentials(kubeConfig);
  let pools: Pools | undefined;

  function poolsFor({ tls }: Credential): Pools {
    const key = JSON.stringify(tls);
    if (pools?.key === key) return pools;
    const old = pools;
    pools = { key, ...createOrForget(tls) };
    // The certificate was rotated: running requests may end on the old connections. A watch ends by
    // itself within its timeoutSeconds.
    if (old !== undefined) void Promise.all([old.calls.close(), old.watches.close()]);
    return pools;
  }

  /** A certificate and its key may be read while only one of them is written anew. */
  function createOrForget(tls: Tls): Omit<Pools, 'key'> {
    try {
      return createPools(options, tls);
    } catch (error) {
      credentials.forget();
      throw error;
    }
  }

  /** A plugin may hang. A call has a limit that counts for it as well, a watch has none. */
  async function currentFor({ pool, signal }: TransportRequest): Promise<Credential> {
    const limit =
      pool === 'calls' ? signal : anySignal([signal, timeoutSignal(silenceMsOf(options))]);
    return await orAborted(credentials.current(), limit);
  }

  async function sendOnce(request: TransportRequest): Promise<Dispatcher.ResponseData> {
    const credential = await currentFor(request);
    const { method, body, signal } = request;
    return poolsFor(credential)[request.pool].request({
      origin,
      path: prefix + request.path,
      method,
      headers: { 'user-agent': userAgent, ...request.headers, ...credential.headers },
      body: body ?? null,
      // undici would close the connection after each DELETE that has preconditions.
      reset: false,
      signal,
    });
  }

  return {
    async send(request) {
      const response = await sendOnce(request);
      if (response.statusCode !== 401) return response;
      await response.body.dump();
      credentials.forget();
      return sendOnce(request);
    },
    async close() {
      const open = pools;
      pools = undefined;
      if (open !== undefined) await Promise.all([open.calls.destroy(), open.watches.destroy()]);
    },
  };
}

function silenceMsOf({ silenceMs = 90_000 }: TransportOptions): number {
  return silenceMs;
}

/**
 * One for all connections: Node.js would parse and keep the certificates for each, which is most of
 * what an idle watch costs.
 */
function shared({ ca, cert, key, ...rest }: Tls) {
  const certificates = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  // As Go has it, a certificate that is given is trusted: it may be that of the issuing CA alone.
  const secureContext = createSecureContext({ ...certificates, allowPartialTrustChain: true });
  return { ...rest, secureContext };
}

function createPools(options: TransportOptions, own: Tls): Omit<Pools, 'key'> {
  const tls = shared(own);
  const silenceMs = silenceMsOf(options);
  const proxy = options.kubeConfig.cluster.proxyUrl;
  const agent = (limits: Agent.Options): Dispatcher => {
    // HTTP/2 is off: a half-open session would hang every call on it without an error.
    const common: Agent.Options = { allowH2: false, keepAliveTimeout: 30_000, ...limits };
    return proxy === undefined
      ? new Agent({ ...common, connect: { ...tls, timeout: 5_000, keepAlive: true } })
      : new ProxyAgent({ ...common, uri: proxy, requestTls: tls });
  };
  return {
    calls: agent({ connections: options.connections ?? 32 }),
    // One for each watch: a limit would keep the namespaces of a fleet that come last from hearing.
    watches: agent({
      connections: null,
      headersTimeout: 30_000,
      bodyTimeout: silenceMs,
    }),
  };
}
