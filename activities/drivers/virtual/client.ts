/**
 * Calls of the virtual cloud's HTTP API (docs/virtual-cloud.md). Fails with a `DriverError` only.
 */
import { Agent } from 'undici';
import type { Dispatcher } from 'undici';
import type { Taint } from '../../../workflows/api/machine.ts';
import { DriverError } from '../driver.ts';
import { orAbsent } from '../frame/http.ts';
import { errorOfAnswer, errorOfTransport } from './error-mapping.ts';
import { noteCloudRequest } from '../../system/cloud-requests.ts';
import { anySignal, timeoutSignal } from '../../system/system.ts';

export interface CloudInstanceRequest {
  name: string;
  token: string;
  zone: string;
  size: string;
  spec: unknown;
  tags: Record<string, string>;
  userDataDigest?: string;
  /** Instead of the digest; base64. */
  userData?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  taints: Taint[];
  needsInitialization: boolean;
}

export interface CloudInstance {
  id: string;
  providerID: string;
  name: string;
  token: string;
  tags: Record<string, string>;
  address: string;
  isInitialized: boolean;
  /** RFC 3339. */
  createdAt: string;
  state: 'booting' | 'running' | 'deleted';
}

export interface InstanceQuery {
  name?: string;
  tags?: Record<string, string>;
}

/** Every call ends when its signal is aborted, and at the latest after the client's time limit. */
export interface VirtualCloudClient {
  /** `known`: the token had made it before. */
  create(
    request: CloudInstanceRequest,
    signal: AbortSignal,
  ): Promise<{ instance: CloudInstance; known: boolean }>;
  list(query: InstanceQuery, signal: AbortSignal): Promise<CloudInstance[]>;
  /** Undefined when there is none. */
  describe(id: string, signal: AbortSignal): Promise<CloudInstance | undefined>;
  initialize(id: string, signal: AbortSignal): Promise<CloudInstance>;
  /** What it has printed to its console. */
  console(id: string, signal: AbortSignal): Promise<string>;
  /** Whether it was there. */
  delete(id: string, signal: AbortSignal): Promise<boolean>;
}

export interface TransportRequest {
  method: Dispatcher.HttpMethod;
  path: string;
  body?: object | undefined;
  /** Ends the call. */
  signal: AbortSignal;
}

export interface TransportAnswer {
  statusCode: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Carries a request to the virtual cloud. */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

export interface ClientOptions {
  url: URL;
  callTimeoutSeconds: number;
  /** Default HTTP. */
  transport?: Transport | undefined;
}

/** More than the driver's queue runs at once: a call that hangs must not hold up another. */
const connectionsMax = 256;

interface HttpCall {
  method: Dispatcher.HttpMethod;
  path: string;
  body?: object;
  signal: AbortSignal;
}

export function createVirtualCloudClient(options: ClientOptions): VirtualCloudClient {
  const transport = options.transport ?? httpTransport(options.url);
  const call = <T>(request: HttpCall): Promise<T> => send<T>(transport, options, request);
  return {
    create: (body, signal) => call({ method: 'POST', path: '/instances', body, signal }),
    async list({ name, tags = {} }, signal) {
      const query = new URLSearchParams(name === undefined ? {} : { name });
      for (const [key, value] of Object.entries(tags)) query.append('tag', `${key}=${value}`);
      const path = `/instances?${query.toString()}`;
      return (await call<{ instances: CloudInstance[] }>({ method: 'GET', path, signal }))
        .instances;
    },
    async describe(id, signal) {
      const path = pathOf(id);
      const found = await orAbsent(
        call<{ instance: CloudInstance }>({ method: 'GET', path, signal }),
      );
      return found?.instance;
    },
    async initialize(id, signal) {
      const path = `${pathOf(id)}/initialize`;
      return (await call<{ instance: CloudInstance }>({ method: 'POST', path, signal })).instance;
    },
    async console(id, signal) {
      const path = `${pathOf(id)}/console`;
      return (await call<{ output: string }>({ method: 'GET', path, signal })).output;
    },
    async delete(id, signal) {
      const path = pathOf(id);
      return (await orAbsent(call<object>({ method: 'DELETE', path, signal }))) !== undefined;
    },
  };
}

const pathOf = (id: string): string => `/instances/${encodeURIComponent(id)}`;

function httpTransport({ origin }: URL): Transport {
  const agent = new Agent({ connections: connectionsMax, keepAliveTimeout: 30_000 });
  return async ({ method, path, body, signal }) => {
    const {
      statusCode,
      headers,
      body: answer,
    } = await agent.request({
      origin,
      path,
      method,
      headers: { 'content-type': 'application/json', 'user-agent': 'millwright' },
      body: body === undefined ? null : JSON.stringify(body),
      signal,
    });
    return { statusCode, headers, text: await answer.text() };
  };
}

async function send<T>(transport: Transport, options: ClientOptions, call: HttpCall): Promise<T> {
  const { method, path, body } = call;
  const timeout = timeoutSignal(options.callTimeoutSeconds * 1_000);
  try {
    const signal = anySignal([call.signal, timeout]);
    const response = await transport({ method, path, body, signal });
    noteCloudRequest(response.headers['x-request-id'], method !== 'GET');
    if (response.statusCode >= 300) throw errorOfAnswer(call, response);
    const answer: T = JSON.parse(response.text);
    return answer;
  } catch (error) {
    if (error instanceof DriverError) throw error;
    throw errorOfTransport({ ...call, ...options, timeout }, error);
  }
}
