/** Builds the clients of a process, and waits until what they talk to is there. */
import { createSecureContext } from 'node:tls';
import type { ConnectionOptions } from '@temporalio/client';
import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  isGrpcServiceError,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { KubeClient } from '../../kube/client/client.ts';
import type { KubeConfig } from '../../kube/client/kubeconfig.ts';
import { loadKubeConfig } from '../../kube/client/kubeconfig.ts';
import { createLeaseClient } from '../../kube/leases/election.ts';
import { createKubeClient } from '../../kube/client/http-client.ts';
import type { Config, KubeSource } from '../config/config.ts';
import type { Process } from '../process/process.ts';
import type { Reach } from '../process/reach.ts';
import { untilReached } from '../process/reach.ts';
import type { TemporalReach } from '../process/temporal-reach.ts';
import { measuredReach } from '../process/temporal-reach.ts';
import type { TemporalSettings } from '../config/temporal.ts';
import { dataConverterOf } from '../payloads/data-converter.ts';
import { headerInterceptor } from '../traces/outgoing-headers.ts';
import { version } from '../config/version.ts';
import { nowMs, monotonicMs, sleep } from '../../activities/system/system.ts';
import { ChannelCredentials } from '@grpc/grpc-js';

type KubeSettings = Pick<Config, 'control' | 'target' | 'kubeApi' | 'component'>;

/** `given`: of a Secret; its credentials may be replaced. */
export type ClientSource = KubeSource | { kind: 'given'; kubeConfig: KubeConfig };

export interface KubeClients {
  /** The cluster with the Machines. */
  control: KubeClient;
  /**
   * The cluster with the Nodes; the same client where it is the same cluster. Undefined: there is
   * none, or each namespace has its own.
   */
  target: KubeClient | undefined;
  close(): Promise<void>;
}

/** Options of every wait for a server. */
export interface Waiting {
  log: Logger;
  /** Ends the waiting. */
  signal: AbortSignal;
  /** For `/readyz`: see `Reach`. */
  onReason?: Reach<unknown>['onReason'];
}

/** Answers of `/readyz` before the first attempt to reach a server, and once it is reached. */
export const waitsForServers = 'waits for Kubernetes and Temporal';

/** Of one of the clusters; throws when its kubeconfig cannot be read. Connects to nothing yet. */
export type CreateClient = (source: ClientSource, config: KubeSettings) => KubeClient;

export function createKubeClients(
  config: KubeSettings,
  createOne: CreateClient = createClient,
): KubeClients {
  const control = createOne(config.control, config);
  const target = createTargetClient(control, config, createOne);
  return {
    control,
    target,
    async close() {
      await Promise.all([control.close(), target === control ? undefined : target?.close()]);
    },
  };
}

function createTargetClient(
  control: KubeClient,
  config: KubeSettings,
  createOne: CreateClient,
): KubeClient | undefined {
  if (config.target === 'none' || config.target.kind === 'secret') return undefined;
  const isSame = JSON.stringify(config.control) === JSON.stringify(config.target);
  return isSame ? control : createOne(config.target, config);
}

export function createClient(
  source: ClientSource,
  { kubeApi: { qps, burst }, component }: Pick<Config, 'kubeApi' | 'component'>,
): KubeClient {
  const client = createKubeClient({
    kubeConfig: kubeConfigOf(source),
    userAgent: `millwright-${component}/${version}`,
  });
  return qps === undefined ? client : limitRate(client, { qps, burst });
}

/**
 * For Events alone: an API server that keeps them in a slow etcd of its own holds up few
 * connections, for a short time, and they take no turn of the limit that the work has.
 */
export function createEventClient(
  source: ClientSource,
  { kubeApi: { qps, burst }, component }: Pick<Config, 'kubeApi' | 'component'>,
): KubeClient {
  const client = createKubeClient({
    kubeConfig: kubeConfigOf(source),
    userAgent: `millwright-${component}/${version}`,
    connections: 4,
    callTimeoutMs: 3_000,
  });
  return qps === undefined ? client : limitRate(client, { qps, burst });
}

/** A small pool of its own: renewals do not wait behind lists. */
export function createLeaseClientOf({
  control,
  component,
  namespaces,
}: Pick<Config, 'control' | 'component' | 'namespaces'>): KubeClient {
  return createLeaseClient({
    kubeConfig: kubeConfigOf(control),
    userAgent: `millwright-${component}/${version}`,
    // Each namespace renews three Leases every few seconds.
    ...(namespaces.kind !== 'one' && { connections: 16 }),
  });
}

export function kubeConfigOf(source: ClientSource): KubeConfig {
  return source.kind === 'given' ? source.kubeConfig : loadKubeConfig(flagOfSource(source));
}

function flagOfSource(source: KubeSource): string {
  switch (source.kind) {
    case 'file':
      return source.path;
    case 'inCluster':
      return 'inClusterConfig';
    case 'default':
      return '';
  }
}

/**
 * Waits for Temporal and for our namespace in it. To be closed with `client.connection.close()`.
 */
export async function untilTemporalAnswers(
  config: Pick<Config, 'temporal' | 'identity'>,
  waiting: Waiting,
  connectClient: typeof createTemporalClient = createTemporalClient,
): Promise<Client> {
  const { address, namespace } = config.temporal;
  return untilReached({
    server: `Temporal at ${address}, namespace ${namespace}`,
    attempt: () => connectClient(config),
    ...waiting,
  });
}

/** One attempt. */
export async function createTemporalClient({
  temporal,
  identity,
  traces = 'none',
}: Pick<Config, 'temporal' | 'identity'> & Partial<Pick<Config, 'traces'>>): Promise<Client> {
  const { namespace } = temporal;
  const [connection, database] = await connect(temporal);
  const client = new Client({
    connection,
    namespace,
    identity,
    ...dataConverterOf(temporal),
    ...(traces !== 'none' && { interceptors: { workflow: [headerInterceptor] } }),
  });
  databases.set(client, database);
  return client;
}

/** Of a client, whose type is the SDK's. */
const databases = new WeakMap<Client, string>();

/** Id of our namespace as the client found it at its start; empty where that is not known. */
export function databaseOf(client: Client): string {
  return databases.get(client) ?? '';
}

export interface TemporalWatchOptions extends Pick<Process, 'config' | 'shutdown'> {
  registry: Registry;
  /** Called with the id of our namespace at each answer: another database has another one. */
  onDatabase?(id: string): void;
}

/** By one small call at a time, until the process ends. */
export function watchTemporal(
  { connection }: Client,
  { config, shutdown, registry, onDatabase }: TemporalWatchOptions,
): TemporalReach {
  const { address, namespace } = config.temporal;
  const reach = measuredReach(registry, {
    address,
    ask: async () => onDatabase?.(await askFor(namespace, connection)),
  });
  shutdown.add('check of Temporal', () => reach.close());
  return reach;
}

/** Limit of each of the two steps of an attempt: to connect, and to ask for the namespace. */
const stepTimeoutMs = 5_000;

/** Returns the id of the namespace as well. */
async function connect(settings: TemporalSettings): Promise<[Connection, string]> {
  const { namespace } = settings;
  const connection = await connectTo(settings);
  try {
    return [connection, await askFor(namespace, connection)];
  } catch (error) {
    await connection.close();
    if (!isUnknownToTemporal(error)) throw error;
    const command = `temporal operator namespace create -n ${namespace}`;
    throw new Error(`There is no such namespace (create it with: ${command})`, { cause: error });
  }
}

export interface TemporalLimits {
  /** Milliseconds until it is connected. Default 5,000. */
  connectMs?: number;
  /** Milliseconds for a call that has no deadline of its own. Default 70,000. */
  callMs?: number;
}

/** As long as a server lets a long poll wait, and some more. */
const longestCallMs = 70_000;

/**
 * To the server, whether the namespace is there or not. Fails within a time limit, and so does each
 * call: a server may take connections, and then answer nothing.
 */
export async function connectTo(
  { connection }: Pick<TemporalSettings, 'connection'>,
  { connectMs = stepTimeoutMs, callMs = longestCallMs }: TemporalLimits = {},
): Promise<Connection> {
  return await Connection.connect({
    address: connection.address,
    connectTimeout: connectMs,
    interceptors: [retryWithin(callMs)],
    ...credentialsOf(connection),
  });
}

/** The SDK's own interceptor, of which each attempt has the whole time. */
function retryWithin(milliseconds: number): NonNullable<ConnectionOptions['interceptors']>[number] {
  const retry = makeGrpcRetryInterceptor(defaultGrpcRetryOptions());
  return (options, nextCall) =>
    retry(options, (one) => nextCall({ ...one, deadline: one.deadline ?? nowMs() + milliseconds }));
}

/** Returns the id of the namespace. */
async function askFor(namespace: string, connection: Client['connection']): Promise<string> {
  const { namespaceInfo } = await connection.withDeadline(nowMs() + stepTimeoutMs, () =>
    connection.workflowService.describeNamespace({ namespace }),
  );
  return namespaceInfo?.id ?? '';
}

/** `NOT_FOUND` of gRPC, whose enumeration the SDK does not hand on. */
const notFound: readonly number[] = [5];

export function isUnknownToTemporal(error: unknown): boolean {
  return isGrpcServiceError(error) && notFound.includes(error.code);
}

/** A limit of our own on the requests to an API server, as client-go's QPS and burst. */
export interface RateLimit {
  /** Requests a second, in the long run. More than 0. */
  qps: number;
  /** Requests that may go out at once after a pause; at least 1 is taken. */
  burst: number;
}

/** Every request waits for its turn, in order; a watch counts once, when it starts. */
export function limitRate(client: KubeClient, limit: RateLimit): KubeClient {
  const turn = createTurnstile(limit);
  return {
    get: (...call) => turn().then(() => client.get(...call)),
    list: (...call) => turn().then(() => client.list(...call)),
    create: (...call) => turn().then(() => client.create(...call)),
    update: (...call) => turn().then(() => client.update(...call)),
    patch: (...call) => turn().then(() => client.patch(...call)),
    delete: (...call) => turn().then(() => client.delete(...call)),
    async *watch(...call) {
      await turn();
      yield* client.watch(...call);
    },
    close: () => client.close(),
  };
}

/**
 * Each call resolves when its caller may go. `next` is the time at which the next one may go; it
 * lies in the past by at most the burst, and a caller that comes too early waits until its own
 * time.
 */
function createTurnstile({ qps, burst }: RateLimit): () => Promise<void> {
  const gapMs = 1_000 / qps;
  let next = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = monotonicMs();
    const mine = Math.max(next, now - gapMs * (Math.max(burst, 1) - 1));
    next = mine + gapMs;
    if (mine > now) await sleep(mine - now);
  };
}

type Tls = Exclude<TemporalSettings['connection']['tls'], boolean | null | undefined>;

/**
 * A CA that is given may be the issuing one alone: the worker's connection and the command
 * `temporal` trust it. The client's does so only with a context of our own, which takes the place
 * of its options for TLS and for the key.
 */
function credentialsOf({
  tls,
  apiKey,
  metadata,
}: TemporalSettings['connection']): Partial<ConnectionOptions> {
  if (typeof tls === 'object' && tls?.serverRootCACertificate) {
    const key = apiKey ? { Authorization: `Bearer ${apiKey}` } : {};
    return { ...channelOf(tls), metadata: { ...metadata, ...key } };
  }
  return {
    ...(tls !== undefined && { tls }),
    ...(apiKey !== undefined && { apiKey }),
    ...(metadata && { metadata }),
  };
}

function channelOf({
  serverRootCACertificate: ca,
  clientCertPair: pair,
  serverNameOverride: name,
}: Tls): Pick<ConnectionOptions, 'credentials' | 'channelArgs'> {
  const secureContext = createSecureContext({
    ...(ca && { ca: Buffer.from(ca) }),
    ...(pair && { cert: Buffer.from(pair.crt), key: Buffer.from(pair.key) }),
    allowPartialTrustChain: true,
  });
  return {
    credentials: ChannelCredentials.createFromSecureContext(secureContext),
    ...(name && {
      channelArgs: { 'grpc.ssl_target_name_override': name, 'grpc.default_authority': name },
    }),
  };
}
