/** The few requests to the API server, over pooled connections that stay open. */
import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { Pool } from 'undici';

export interface KubeAnswer {
  status: number;
  body: KubeBody;
}

/** The fields of a Node or a pod that are read here. */
export interface KubeObject {
  metadata: {
    name: string;
    namespace?: string;
    uid: string;
    resourceVersion: string;
    creationTimestamp?: string;
    deletionTimestamp?: string;
    deletionGracePeriodSeconds?: number;
    annotations?: Record<string, string>;
    finalizers?: string[];
  };
  spec?: {
    providerID?: string;
    nodeName?: string;
    hostNetwork?: boolean;
    containers?: { name: string; image?: string }[];
    readinessGates?: { conditionType: string }[];
  };
  status?: {
    phase?: string;
    conditions?: { type: string; status: string; reason?: string; lastTransitionTime?: string }[];
    addresses?: { type: string; address: string }[];
    capacity?: object;
    allocatable?: object;
    nodeInfo?: { kubeletVersion?: string; architecture?: string; operatingSystem?: string };
  };
}

/** An object, a list, or the Status that a refusal is. */
export interface KubeBody extends Partial<Omit<KubeObject, 'metadata'>> {
  metadata?: Partial<KubeObject['metadata']>;
  items?: KubeObject[];
  message?: string;
}

export interface KubeApi {
  /** Fails when there is no answer within 10 s. `contentType` is that of a patch. */
  call(request: KubeCall): Promise<KubeAnswer>;
  /** Lines of a watch. Fails when it is refused, and when nothing comes for 3 minutes. */
  lines(path: string, signal: AbortSignal): AsyncIterable<string>;
  close(): Promise<void>;
}

export interface KubeCall {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: object;
  contentType?: string;
}

/**
 * A hundred machines that boot at once need no hundred TLS handshakes. Two are taken by watches.
 */
const connections = 12;
const limitMilliseconds = 10_000;
/** A server sends a bookmark each minute. */
const silenceMilliseconds = 180_000;

export async function createKubeApi(kubeconfig: string): Promise<KubeApi> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new Error(`--kubeconfig: ${kubeconfig} has no current context`);
  const credential: RequestOptions = {};
  await config.applyToHTTPSOptions(credential);
  const { origin, pathname } = new URL(cluster.server);
  const prefix = pathname.replace(/\/$/, '');
  const pool = new Pool(origin, {
    connections,
    // A half-open HTTP/2 session would hang all of them at once.
    allowH2: false,
    keepAliveTimeout: 30_000,
    headersTimeout: limitMilliseconds,
    bodyTimeout: limitMilliseconds,
    connect: tlsOf(credential),
  });
  const headers = { ...textHeaders(credential.headers), 'user-agent': 'virtual-cloud' };
  return {
    async call({ method, path, body, contentType = 'application/json' }) {
      const response = await pool.request({
        method,
        path: prefix + path,
        headers: { ...headers, 'content-type': contentType },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(limitMilliseconds),
      });
      return { status: response.statusCode, body: parse(await response.body.text()) };
    },
    async *lines(path, signal) {
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path: prefix + path,
        headers,
        bodyTimeout: silenceMilliseconds,
        signal,
      });
      if (statusCode !== 200) throw new Error(`${statusCode} ${(await body.text()).slice(0, 200)}`);
      yield* linesOf(body.setEncoding('utf8'));
    },
    close: () => pool.destroy(),
  };
}

/** A rest without a newline was cut off. */
async function* linesOf(chunks: AsyncIterable<string>): AsyncIterable<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** Says when the API server stops answering, and when it is back; callers only try again. */
export function reportingReach(api: KubeApi, log: (message: string) => void): KubeApi {
  let isAway = false;
  return {
    ...api,
    async call(request) {
      try {
        const answer = await api.call(request);
        if (isAway) log('the API server answers again');
        isAway = false;
        return answer;
      } catch (error) {
        if (!isAway) log(`the API server does not answer: ${String(error)}`);
        isAway = true;
        throw error;
      }
    },
  };
}

function tlsOf({ ca, cert, key, rejectUnauthorized }: RequestOptions): object {
  return {
    timeout: 5_000,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(rejectUnauthorized === false && { rejectUnauthorized }),
  };
}

function textHeaders(headers: RequestOptions['headers']): Record<string, string> {
  const entries = Object.entries(headers ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(entries);
}

function parse(text: string): KubeBody {
  try {
    const body: KubeBody = JSON.parse(text);
    return body;
  } catch {
    // A filter or a starting server answers in plain text.
    return { message: text.slice(0, 200) };
  }
}
