/** Configuration of a Temporal server on PostgreSQL, as values. Its YAML files get it as JSON. */
import { host, type Ports } from '../supervision/ports.ts';

/** Names of the databases, for the schemas of `temporal-sql-tool` and the stores of the server. */
export const databases = { temporal: 'temporal', visibility: 'temporal_visibility' } as const;

/** Connections of each of the four services to each of the databases. */
const connections = { temporal: 20, visibility: 5 } as const;

/** Cannot be changed once the databases are made. Enough for two servers to share. */
export const historyShards = 16;

/**
 * One partition, because with few pollers tasks would wait on the others, and rate limits that a
 * stack of one machine never reaches. Fairness between pools is off by default in the server.
 */
export const dynamicConfig: Readonly<Record<string, unknown>> = {
  'matching.enableFairness': true,
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  'matching.rps': 20_000,
  'frontend.rps': 20_000,
  'frontend.namespaceRPS': 20_000,
  'frontend.namespaceCount': 5_000,
  'history.rps': 50_000,
};

/** The same as the server's file of dynamic configuration has it. */
export function dynamicConfigFile(): object {
  return Object.fromEntries(
    Object.entries(dynamicConfig).map(([key, value]) => [key, [{ value }]]),
  );
}

/** Ports of one Temporal server: several of them can share a PostgreSQL. */
export type TemporalPorts = Pick<Ports, 'postgresql' | TemporalPort>;
type TemporalPort = Extract<keyof Ports, `temporal${string}`>;

/** Where a server finds its database, and its dynamic configuration. */
export interface TemporalStore {
  user: string;
  password: string;
  dynamicConfigPath: string;
}

/** All four services in one process. */
export function temporalServerConfig(ports: TemporalPorts, store: TemporalStore): object {
  const frontend = `${host}:${ports.temporal}`;
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'temporal',
      visibilityStore: 'visibility',
      numHistoryShards: historyShards,
      datastores: {
        temporal: { sql: datastore('temporal', ports, store) },
        visibility: { sql: datastore('visibility', ports, store) },
      },
    },
    global: {
      membership: { maxJoinDuration: '30s', broadcastAddress: host },
      metrics: { prometheus: { listenAddress: `${host}:${ports.temporalMetrics}` } },
      pprof: { host, port: ports.temporalPprof },
    },
    services: {
      frontend: {
        rpc: {
          ...rpc(ports.temporal, ports.temporalFrontendMembership),
          httpPort: ports.temporalHttp,
        },
      },
      history: { rpc: rpc(ports.temporalHistory, ports.temporalHistoryMembership) },
      matching: { rpc: rpc(ports.temporalMatching, ports.temporalMatchingMembership) },
      worker: { rpc: rpc(ports.temporalInternalWorker, ports.temporalInternalWorkerMembership) },
    },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: frontend,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: store.dynamicConfigPath, pollInterval: '10s' },
  };
}

function datastore(
  name: keyof typeof databases,
  { postgresql }: TemporalPorts,
  { user, password }: TemporalStore,
): object {
  return {
    pluginName: 'postgres12',
    databaseName: databases[name],
    connectAddr: `${host}:${postgresql}`,
    connectProtocol: 'tcp',
    user,
    password,
    maxConns: connections[name],
    maxIdleConns: connections[name],
    maxConnLifetime: '1h',
  };
}

function rpc(grpcPort: number, membershipPort: number): object {
  return { grpcPort, membershipPort, bindOnIP: host };
}

/** Configuration of `temporal-ui-server`. */
export function temporalUiConfig({ temporal, temporalUi }: TemporalPorts): object {
  return {
    temporalGrpcAddress: `${host}:${temporal}`,
    host,
    port: temporalUi,
    enableUi: true,
    defaultNamespace: 'default',
    disableNewsFetch: true,
    // It is not served over TLS.
    cors: { cookieInsecure: true },
  };
}
