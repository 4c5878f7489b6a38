/** Flags and environment -> a frozen Config, or one error that lists every fault. */
import { hostname } from 'node:os';
import type { FrontSettings } from '../../activities/front/dependencies.ts';
import type { LogSettings } from '../log/logger.ts';
import type { DriverPermissions } from '../../activities/drivers/settings.ts';
import { kubermaticLease } from '../../workflows/api/kubermatic-names.ts';
import type { NamespacedName } from '../../workflows/contracts/references.ts';
import type { MachineDefaults } from '../../workflows/api/settings.ts';
import {
  faultsOfFiles,
  faultsOfFleet,
  faultsOfLeaderElection,
  faultsOfUrl,
  faultsOfVersion,
} from './cross-checks.ts';
import { type Component, type Started, withoutEffectIn } from './flags/flag.ts';
import { flagNames, flagOf, type FlagValues } from './flags/table.ts';
import { type Fault, readFlags, type ReadFlags } from './flags/parse.ts';
import type { FleetNamespaces } from './flags/namespaces.ts';
import { helpText } from './flags/help.ts';
import { faultsOfServed, servedOf, type ServedSettings } from './served.ts';
import { version } from './version.ts';
import type { CommandSource } from '../../workflows/api/command-source.ts';
import { type Environment, readTemporalSettings, type TemporalSettings } from './temporal.ts';

/**
 * Where the credentials of a cluster are. `default`: $KUBECONFIG, else ~/.kube/config, else the
 * pod's.
 */
export type KubeSource =
  { kind: 'file'; path: string } | { kind: 'inCluster' } | { kind: 'default' };

/** Secrets that hold the targets, one set in each namespace. */
export interface TargetSecret {
  kind: 'secret';
  /** Its key `kubeconfig`. */
  name: string;
  /** Its key `token`, in the place of a token in the kubeconfig. */
  tokenName?: string;
}

/** `one`: that of `--namespace`. A process that cannot serve it ends. */
export type NamespaceSelection = FleetNamespaces | { kind: 'one'; name: string };

export type WorkflowSandbox = 'lean' | 'sdk';

/** A flag that was given and has no effect in this process. */
export interface Noop {
  flag: string;
  reason: string;
}

export interface Config {
  component: Component;
  /** It was started by the name of a program of MCM (mcm-name.ts). */
  isNamedAsMcm: boolean;
  control: KubeSource;
  /** The cluster that the Nodes join; `none` where there is no such cluster. */
  target: KubeSource | TargetSecret | 'none';
  /** Namespaces of the control cluster. Default `one`, called "default". */
  namespaces: NamespaceSelection;
  install: InstallSettings;
  /** Limits of our own on requests to each API server. No qps: no limit. */
  kubeApi: { qps?: number; burst: number };
  temporal: TemporalSettings;
  /** The part of the work that this worker process does. */
  serves: ServedSettings;
  /** The watcher runs in this worker process as well. Default false. */
  withWatcher: boolean;
  /** The cluster autoscaler is to leave Nodes alone while their deployment rolls. Default true. */
  protectsNodes: boolean;
  /** Serving certificates of kubelets are approved. Default false. */
  approvesKubeletServing: boolean;
  /** Source of commands for machines and rollouts. Default temporal. */
  commandsBy: CommandSource;
  /** File with workflow code that was bundled before. */
  workflowBundle?: string;
  /** Absent: Temporal knows no versions of the workers. No `buildId`: that of the code. */
  versioning?: { deploymentName: string; buildId?: string };
  /** Sandbox of workflows: the SDK's as it is, or without its most expensive parts. */
  workflowSandbox: WorkflowSandbox;
  /** Name of this process in Leases and in the Temporal UI. Default the host name. */
  identity: string;
  leaderElection: LeaderElection;
  /** Time that the work of a dead worker waits for another one, in the runs that it starts. */
  timeouts: {
    /** For a workflow task. Default 10. */
    workflowTaskSeconds: number;
    /** For an activity whose heartbeats have ended. Default 30. */
    heartbeatSeconds: number;
  };
  /** Port 0: any free port. */
  http: { address: string; port: number };
  machine: MachineDefaults;
  /** Of the front alone. */
  front: FrontSettings;
  safety: SafetySettings;
  concurrency: {
    /**
     * Activities of each kind at a time (worker, default 50; front, default 10), signals being sent
     * at a time (watcher, default 64).
     */
    syncs: number;
    /** Workflows kept in memory. Default 3000. */
    maxCachedWorkflows: number;
  };
  /** Time for work in progress to end after SIGTERM. Default 20. */
  shutdownGraceSeconds: number;
  log: LogSettings;
  /** Where traces go. Default none. */
  traces: 'none' | 'otlp';
  /** URL of the virtual cloud, for the driver `virtual`. Default http://127.0.0.1:7080. */
  virtualCloud: string;
  /** Permissions of the drivers beyond what a class and its Secret give them. Default none. */
  drivers: Required<DriverPermissions>;
  noops: Noop[];
}

export interface InstallSettings {
  /** Default the namespace; a fleet has no default. */
  name: string;
  /** Default the UID of the namespace kube-system. */
  clusterId?: string;
  /** Default none. */
  clusterName?: string;
  /** Holders of claims that are gone. */
  takeOver: string[];
}

export interface LeaderElection {
  enabled: boolean;
  /** Namespace of the Lease; default the one that is served. */
  resourceNamespace?: string | undefined;
  /** Name of the Lease in that namespace. Default `millwright`. */
  resourceName: 'millwright' | 'machine-controller-manager';
  /** A Lease that is Kubermatic's, although it may have the name of one of MCM. */
  notOfMcm?: NamespacedName | undefined;
  leaseDurationSeconds: number;
  renewDeadlineSeconds: number;
  retryPeriodSeconds: number;
}

export interface SafetySettings {
  /** Machines above desired + maxSurge at which creating is frozen. Default 2. */
  up: number;
  /** Machines below that limit at which creating goes on. Default 1. */
  down: number;
  /** Between two checks, as all periods here. Default 60. */
  overshootingPeriodSeconds: number;
  /** Default 900. */
  orphanPeriodSeconds: number;
  orphans: {
    /** Default `delete`. */
    mode: 'delete' | 'report' | 'off';
    /** Default 10. */
    maxDeletions: number;
    /** Default 600. */
    minAgeSeconds: number;
  };
  reachability: {
    /** Default 30. */
    timeoutSeconds: number;
    /** Default 60. */
    periodSeconds: number;
  };
  /** Default 300. */
  entitiesPeriodSeconds: number;
  /** Label selector; empty: all Nodes. */
  unmanagedNodesSelector: string;
}

/** Its message has one line for each fault. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly faults: readonly Fault[];
  constructor(component: Component, faults: readonly Fault[]) {
    super(`The ${component} cannot start:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

export interface CommandLine {
  component: Component;
  /** Without the program: `process.argv.slice(2)`. */
  argv: readonly string[];
  env: Environment;
  /** See mcm-name.ts. Default false. */
  isNamedAsMcm?: boolean;
}

export type Command = { kind: 'print'; text: string } | { kind: 'run'; config: Config };

/**
 * Throws a ConfigError. Reads the files that it has to read (the Temporal profile), and no others.
 */
export function readCommandLine(commandLine: CommandLine): Command {
  const { component, env, isNamedAsMcm = false } = commandLine;
  const started = { component, isNamedAsMcm };
  const flags = flagsOf(commandLine, started);
  if (flags.asksFor === 'help') return { kind: 'print', text: helpText(started) };
  if (flags.asksFor === 'version')
    return { kind: 'print', text: `millwright ${component} ${version}` };
  const { settings: temporal, faults } = readTemporalSettings(flags.values, env);
  const virtualCloud = env['MILLWRIGHT_VIRTUAL_CLOUD'] || 'http://127.0.0.1:7080';
  const allFaults = [
    ...flags.faults,
    ...faultsOfFiles(flags.values),
    ...faultsOfFleet(flags.values, flags.given),
    ...faultsOfLeaderElection(flags.values),
    ...faultsOfServed(flags.values),
    ...faultsOfVersion(flags.values),
    ...faults,
    ...faultsOfUrl('MILLWRIGHT_VIRTUAL_CLOUD', virtualCloud),
  ];
  if (temporal === undefined || allFaults.length > 0) throw new ConfigError(component, allFaults);
  const config: Config = {
    ...started,
    ...configOf(flags.values),
    temporal,
    virtualCloud,
    noops: noopsOf(flags, component),
  };
  return { kind: 'run', config: deepFreeze(config) };
}

/**
 * Flags of the environment come first, so that those of the command line win: where others write
 * the command line, as gardenlet does, it is the place for flags of ours.
 */
function flagsOf({ argv, env }: CommandLine, started: Started): ReadFlags {
  const words = (env['MILLWRIGHT_FLAGS'] ?? '').split(/\s+/).filter((word) => word !== '');
  const ofEnvironment = new Set(readFlags(words, started).faults);
  const read = readFlags([...words, ...argv], started);
  const faults = read.faults.map((fault) =>
    ofEnvironment.has(fault) ? `MILLWRIGHT_FLAGS: ${fault}` : fault,
  );
  return { ...read, faults };
}

function configOf(flags: FlagValues) {
  return {
    ...clustersOf(flags),
    ...workOf(flags),
    identity: flags['leader-elect-identity'] || hostname(),
    leaderElection: {
      enabled: flags['leader-elect'],
      resourceNamespace: flags['leader-elect-resource-namespace'] || undefined,
      resourceName: flags['leader-elect-resource-name'],
      notOfMcm: flags['machine-controller-lease'] || undefined,
      leaseDurationSeconds: flags['leader-elect-lease-duration'],
      renewDeadlineSeconds: flags['leader-elect-renew-deadline'],
      retryPeriodSeconds: flags['leader-elect-retry-period'],
    },
    timeouts: {
      workflowTaskSeconds: flags['workflow-task-timeout'],
      heartbeatSeconds: flags['heartbeat-timeout'],
    },
    http: { address: flags.address, port: flags.port },
    machine: machineDefaultsOf(flags),
    front: frontOf(flags),
    safety: safetyOf(flags),
    log: { level: logLevelOf(flags), format: flags['log-format'] },
    traces: flags.traces,
  };
}

function clustersOf(flags: FlagValues) {
  const qps = flags['kube-api-qps'];
  return {
    control: kubeSourceOf(flags['control-kubeconfig'] || flags['target-kubeconfig']),
    target: targetOf(flags),
    namespaces: namespacesOf(flags),
    install: installOf(flags),
    kubeApi: { burst: flags['kube-api-burst'], ...(qps > 0 && { qps }) },
  };
}

function targetOf(flags: FlagValues): Config['target'] {
  const name = flags['target-kubeconfig-secret'];
  const tokenName = flags['target-token-secret'];
  if (name !== '') return { kind: 'secret', name, ...(tokenName !== '' && { tokenName }) };
  const target = flags['target-kubeconfig'];
  return target === 'none' ? 'none' : kubeSourceOf(target);
}

function namespacesOf({ namespaces, namespace }: FlagValues): NamespaceSelection {
  return namespaces === 'none' ? { kind: 'one', name: namespace } : namespaces;
}

function installOf(flags: FlagValues): InstallSettings {
  const clusterId = flags['cluster-id'];
  const clusterName = flags['cluster-name'];
  return {
    name: flags.install || flags.namespace,
    ...(clusterId !== '' && { clusterId }),
    ...(clusterName !== '' && { clusterName }),
    takeOver: flags['take-over'],
  };
}

function kubeSourceOf(kubeconfig: string): KubeSource {
  if (kubeconfig === '') return { kind: 'default' };
  if (kubeconfig === 'inClusterConfig') return { kind: 'inCluster' };
  return { kind: 'file', path: kubeconfig };
}

function workOf(flags: FlagValues) {
  const workflowBundle = flags['workflow-bundle'];
  return {
    serves: servedOf(flags),
    withWatcher: flags['with-watcher'],
    protectsNodes: flags['autoscaler-scaledown-annotation-during-rollout'],
    approvesKubeletServing: flags['approve-kubelet-serving'],
    commandsBy: flags['commands-by'],
    drivers: driversOf(flags),
    ...(workflowBundle !== '' && { workflowBundle }),
    ...versioningOf(flags),
    workflowSandbox: flags['workflow-sandbox'],
    concurrency: {
      syncs: flags['concurrent-syncs'],
      maxCachedWorkflows: flags['max-cached-workflows'],
    },
    shutdownGraceSeconds: flags['shutdown-grace-period'],
  };
}

function versioningOf(flags: FlagValues): Pick<Config, 'versioning'> {
  const { 'worker-deployment': deploymentName, 'build-id': buildId } = flags;
  if (deploymentName === '') return {};
  return { versioning: { deploymentName, ...(buildId !== '' && { buildId }) } };
}

/** The process's whole identity is more than its token file. */
function driversOf(flags: FlagValues): Config['drivers'] {
  const allowsAmbientCredentials = flags['ambient-credentials'];
  return {
    allowsAmbientCredentials,
    allowsTokenFiles: flags['token-files'] || allowsAmbientCredentials,
    allowsRetagging: flags['retag-adopted'],
  };
}

function safetyOf(flags: FlagValues): SafetySettings {
  return {
    up: flags['safety-up'],
    down: flags['safety-down'],
    overshootingPeriodSeconds: flags['machine-safety-overshooting-period'],
    orphanPeriodSeconds: flags['machine-safety-orphan-vms-period'],
    orphans: {
      mode: flags['safety-orphans'],
      maxDeletions: flags['safety-orphans-max-deletions'],
      minAgeSeconds: flags['safety-orphans-min-age'],
    },
    reachability: {
      timeoutSeconds: flags['machine-safety-apiserver-statuscheck-timeout'],
      periodSeconds: flags['machine-safety-apiserver-statuscheck-period'],
    },
    entitiesPeriodSeconds: flags['safety-entities-period'],
    unmanagedNodesSelector: flags['safety-unmanaged-nodes-selector'],
  };
}

function machineDefaultsOf(flags: FlagValues): MachineDefaults {
  return {
    creationTimeoutSeconds: flags['machine-creation-timeout'],
    healthTimeoutSeconds: flags['machine-health-timeout'],
    drainTimeoutSeconds: flags['machine-drain-timeout'],
    inPlaceUpdateTimeoutSeconds: flags['machine-inplace-update-timeout'],
    maxEvictRetries: flags['machine-max-evict-retries'],
    pvDetachTimeoutSeconds: flags['machine-pv-detach-timeout'],
    pvReattachTimeoutSeconds: flags['machine-pv-reattach-timeout'],
    preserveTimeoutSeconds: flags['machine-preserve-timeout'],
    nodeConditions: flags['node-conditions'],
    bootstrapTokenAuthExtraGroups: flags['bootstrap-token-auth-extra-groups'],
    resourceExhaustedRetrySeconds: flags['resource-exhausted-retry'] || 600,
  };
}

function frontOf(flags: FlagValues): FrontSettings {
  const join = flags['join-cluster-timeout'];
  const eviction = flags['skip-eviction-after'];
  return {
    instanceCluster: flags['instance-cluster'] || installOf(flags).name,
    ...(flags['user-data-config'] !== '' && { userDataConfig: flags['user-data-config'] }),
    ...(join > 0 && { joinClusterTimeoutSeconds: join }),
    ...(eviction > 0 && { skipEvictionAfterSeconds: eviction }),
    replacesUnhealthy: flags['replace-unhealthy'],
    machineControllerLease: flags['machine-controller-lease'] || kubermaticLease,
  };
}

function logLevelOf(flags: FlagValues): LogSettings['level'] {
  const level = flags['log-level'];
  if (level !== 'auto') return level;
  if (flags.v <= 3) return 'info';
  return flags.v === 4 ? 'debug' : 'trace';
}

function noopsOf({ given, values }: ReadFlags, component: Component): Noop[] {
  const isBoth = component === 'worker' && values['with-watcher'];
  const components: readonly Component[] = isBoth ? ['worker', 'watcher'] : [component];
  return flagNames
    .filter((name) => given.has(name))
    .flatMap((name) => {
      const flag = flagOf(name);
      const reason = flag.noop ?? withoutEffectIn(flag, components)?.replace(/^o/, 'O');
      return reason === undefined ? [] : [{ flag: `--${name}`, reason }];
    });
}

/**
 * Plain objects and arrays only: Temporal's connection options may hold buffers, which cannot be
 * frozen.
 */
function deepFreeze<T>(value: T): T {
  if (ArrayBuffer.isView(value)) return value;
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const part of Object.values(Object.freeze(value))) deepFreeze(part);
  }
  return value;
}
