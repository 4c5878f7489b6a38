import { fileURLToPath } from 'node:url';
import { type Config, ConfigError, readCommandLine } from '../../../workers/config/config.ts';
import type { Component } from '../../../workers/config/flags/flag.ts';
import type { Environment } from '../../../workers/config/temporal.ts';

/** Any file that exists. */
const file = fileURLToPath(import.meta.url);

interface Given {
  component?: Component;
  argv?: string[];
  env?: Environment;
}

function configOf({ component = 'worker', argv = [], env = {} }: Given): Config {
  const command = readCommandLine({ component, argv, env });
  if (command.kind !== 'run') throw new Error(`The command line only prints: ${command.text}`);
  return command.config;
}

function faultsOf(given: Given): readonly string[] {
  try {
    configOf(given);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

test('without flags and environment everything has the defaults of MCM', () => {
  expect(configOf({})).toMatchObject({
    control: { kind: 'default' },
    target: { kind: 'default' },
    namespaces: { kind: 'one', name: 'default' },
    kubeApi: { burst: 30 },
    install: { name: 'default', takeOver: [] },
    leaderElection: {
      enabled: true,
      leaseDurationSeconds: 15,
      renewDeadlineSeconds: 10,
      retryPeriodSeconds: 2,
    },
    http: { address: '0.0.0.0', port: 10_259 },
    machine: {
      creationTimeoutSeconds: 20 * 60,
      healthTimeoutSeconds: 10 * 60,
      drainTimeoutSeconds: 2 * 3600,
      inPlaceUpdateTimeoutSeconds: 20 * 60,
      maxEvictRetries: 360,
      pvDetachTimeoutSeconds: 120,
      pvReattachTimeoutSeconds: 90,
      preserveTimeoutSeconds: 96 * 3600,
      nodeConditions: [
        'KernelDeadlock',
        'ReadonlyFilesystem',
        'DiskPressure',
        'NetworkUnavailable',
      ],
      bootstrapTokenAuthExtraGroups: '',
      resourceExhaustedRetrySeconds: 600,
    },
    safety: {
      up: 2,
      down: 1,
      overshootingPeriodSeconds: 60,
      orphanPeriodSeconds: 900,
      orphans: { mode: 'delete', maxDeletions: 10, minAgeSeconds: 600 },
      entitiesPeriodSeconds: 300,
      unmanagedNodesSelector: '',
    },
    virtualCloud: 'http://127.0.0.1:7080',
    drivers: { allowsAmbientCredentials: false, allowsTokenFiles: false, allowsRetagging: false },
    serves: {
      core: true,
      drain: true,
      drivers: ['AWS', 'Azure', 'GCP', 'virtual'],
      driversAtOnce: [],
      providers: ['AWS', 'Azure', 'GCP', 'virtual'],
    },
    noops: [],
  });
});

const servedParts = [
  {
    argv: ['--serve=core, Drain', '--providers=none'],
    expected: { core: true, drain: true, drivers: [], driversAtOnce: [], providers: [] },
  },
  {
    argv: ['--serve=driver', '--providers=azure,GCP,gcp'],
    expected: { core: false, drain: false, drivers: ['Azure', 'GCP'], driversAtOnce: [] },
  },
  {
    argv: ['--serve=driver:aws,driver:AWS', '--providers=AWS,GCP'],
    expected: { core: false, drivers: ['AWS'], driversAtOnce: ['AWS'], providers: ['AWS', 'GCP'] },
  },
  {
    argv: ['--serve=driver,driver:Virtual', '--providers=virtual,AWS'],
    expected: { drivers: ['virtual', 'AWS'], driversAtOnce: ['virtual'] },
  },
];

test.each(servedParts)('with $argv a worker serves a part', ({ argv, expected }) => {
  expect(configOf({ argv }).serves).toMatchObject(expected);
});

const allowed = [
  { argv: ['--token-files'], expected: { allowsTokenFiles: true } },
  {
    argv: ['--ambient-credentials'],
    expected: { allowsAmbientCredentials: true, allowsTokenFiles: true },
  },
  { argv: ['--retag-adopted'], expected: { allowsRetagging: true } },
];

test.each(allowed)('the flags $argv allow the drivers more', ({ argv, expected }) => {
  const nothing = {
    allowsAmbientCredentials: false,
    allowsTokenFiles: false,
    allowsRetagging: false,
  };
  expect(configOf({ argv }).drivers).toEqual({ ...nothing, ...expected });
});

test('an install is named after its namespace, or as a flag says', () => {
  expect(configOf({ argv: ['--namespace=shoot'] }).install.name).toBe('shoot');
  const argv = ['--namespace=shoot', '--install=blue', '--cluster-id=c', '--cluster-name=eu'];
  expect(configOf({ argv: [...argv, '--take-over=old, older'] }).install).toEqual({
    name: 'blue',
    clusterId: 'c',
    clusterName: 'eu',
    takeOver: ['old', 'older'],
  });
});

const clusters: { name: string; argv: string[]; expected: Pick<Config, 'control' | 'target'> }[] = [
  {
    name: 'only the target',
    argv: [`--target-kubeconfig=${file}`],
    expected: { control: { kind: 'file', path: file }, target: { kind: 'file', path: file } },
  },
  {
    name: 'only the control cluster',
    argv: [`--control-kubeconfig=${file}`],
    expected: { control: { kind: 'file', path: file }, target: { kind: 'default' } },
  },
  {
    name: 'the pod as control cluster and no target',
    argv: ['--control-kubeconfig=inClusterConfig', '--target-kubeconfig=none'],
    expected: { control: { kind: 'inCluster' }, target: 'none' },
  },
  {
    name: 'a Secret of each namespace',
    argv: [
      '--control-kubeconfig=inClusterConfig',
      '--target-kubeconfig-secret=target',
      '--target-token-secret=access',
    ],
    expected: {
      control: { kind: 'inCluster' },
      target: { kind: 'secret', name: 'target', tokenName: 'access' },
    },
  },
];

test.each(clusters)('clusters, given $name', ({ argv, expected }) => {
  expect(configOf({ argv })).toMatchObject(expected);
});

const fleets = [
  { text: 'a, b,a', expected: { kind: 'list', names: ['a', 'b'] } },
  { text: 'all', expected: { kind: 'selected', labels: '' } },
  { text: 'labels:fleet=eu', expected: { kind: 'selected', labels: 'fleet=eu' } },
  {
    text: 'labels:fleet in (eu, us),!old',
    expected: { kind: 'selected', labels: 'fleet in (eu, us),!old' },
  },
];

test.each(fleets)('--namespaces=$text names a fleet', ({ text, expected }) => {
  const { namespaces, install } = configOf({ argv: [`--namespaces=${text}`, '--install=one'] });
  expect({ namespaces, install }).toMatchObject({ namespaces: expected, install: { name: 'one' } });
});

const levels = [
  { argv: [], level: 'info' },
  { argv: ['-v=3'], level: 'info' },
  { argv: ['-v=4'], level: 'debug' },
  { argv: ['-v=9'], level: 'trace' },
  { argv: ['-v=9', '--log-level=warn'], level: 'warn' },
];

test.each(levels)('the flags $argv log at level $level', ({ argv, level }) => {
  expect(configOf({ argv }).log.level).toBe(level);
});

describe('flags without effect', () => {
  test('are reported with the reason, when they were given', () => {
    expect(configOf({ argv: ['--min-resync-period=1h'] }).noops).toEqual([
      { flag: '--min-resync-period', reason: expect.stringContaining('Nothing is polled') },
    ]);
  });

  test('of one process are reported by the other one', () => {
    const argv = ['--leader-elect=false', '--machine-health-timeout=1h'];
    const flagsOf = (component: Component) =>
      configOf({ component, argv }).noops.map(({ flag }) => flag);
    expect(flagsOf('worker')).toEqual(['--leader-elect']);
    expect(flagsOf('watcher')).toEqual(['--machine-health-timeout']);
  });

  test('are none that the watcher goes by as well', () => {
    const argv = ['--machine-creation-timeout=1h'];
    const { noops, machine } = configOf({ component: 'watcher', argv });
    expect([noops, machine.creationTimeoutSeconds]).toEqual([[], 3_600]);
  });

  test('must have a good value all the same', () => {
    expect(faultsOf({ argv: ['--min-resync-period=soon'] })).toHaveLength(1);
  });
});

const refused: { name: string; given: Given; fault: RegExp }[] = [
  {
    name: 'a build id without a deployment',
    given: { argv: ['--build-id=a'] },
    fault: /^--build-id: "a" needs --worker-deployment$/,
  },
  {
    name: 'a deployment whose name Temporal would cut',
    given: { argv: ['--worker-deployment=a.b'] },
    fault: /^--worker-deployment: "a.b" is not allowed/,
  },
  {
    name: 'a fleet without a name',
    given: { argv: ['--namespaces=a'] },
    fault: /--namespaces needs --install/,
  },
  {
    name: 'a fleet and a namespace',
    given: { argv: ['--namespaces=a', '--namespace=b', '--install=one'] },
    fault: /--namespaces: is not allowed together with --namespace/,
  },
  ...['A', 'a_b', ',', 'labels:', 'labels:a=`b`'].map((text) => ({
    name: `the namespaces ${text}`,
    given: { argv: [`--namespaces=${text}`, '--install=one'] },
    fault: /--namespaces: .* is not allowed; allowed: names of namespaces/,
  })),
  {
    name: 'two target clusters',
    given: {
      argv: [
        `--control-kubeconfig=${file}`,
        `--target-kubeconfig=${file}`,
        '--target-kubeconfig-secret=a',
      ],
    },
    fault: /--target-kubeconfig-secret: is not allowed together with --target-kubeconfig/,
  },
  {
    name: 'a Secret without a control cluster',
    given: { argv: ['--target-kubeconfig-secret=a'] },
    fault: /--target-kubeconfig-secret needs --control-kubeconfig/,
  },
  {
    name: 'a token for no kubeconfig',
    given: { argv: ['--target-token-secret=a'] },
    fault: /--target-token-secret needs --target-kubeconfig-secret/,
  },
  {
    name: 'no target and no control cluster',
    given: { argv: ['--target-kubeconfig=none'] },
    fault: /--target-kubeconfig=none needs --control-kubeconfig/,
  },
  {
    name: 'a kubeconfig that does not exist',
    given: { argv: ['--control-kubeconfig=/no/such/file'] },
    fault: /--control-kubeconfig: the file "\/no\/such\/file" does not exist/,
  },
  {
    name: 'none as control cluster',
    given: { argv: ['--control-kubeconfig=none'] },
    fault: /--control-kubeconfig: the file "none" does not exist/,
  },
  {
    name: 'a workflow bundle that does not exist',
    given: { argv: ['--workflow-bundle=/no/such/file'] },
    fault: /--workflow-bundle/,
  },
  {
    name: 'an install whose name would be read as several parts of an id',
    given: { argv: ['--install=a/b'] },
    fault: /--install: "a\/b" is not allowed; allowed: at most 63 letters/,
  },
  {
    name: 'a renew deadline as long as the lease',
    given: { argv: ['--leader-elect-lease-duration=10s'] },
    fault: /--leader-elect-renew-deadline: 10s .* less than --leader-elect-lease-duration \(10s\)/,
  },
  {
    name: 'a lease of a fraction of a second',
    given: { argv: ['--leader-elect-lease-duration=15.5s'] },
    fault: /--leader-elect-lease-duration: 15.5s .* whole seconds/,
  },
  {
    name: 'a retry period close to the renew deadline',
    given: { argv: ['--leader-elect-retry-period=9s'] },
    fault: /--leader-elect-retry-period: 9s/,
  },
  ...['core,drian', 'driver:', 'driver:aws:x', 'driver:mars', 'none', '', ','].map((text) => ({
    name: `--serve=${text}`,
    given: { argv: [`--serve=${text}`] },
    fault:
      /^--serve: ".*" is not allowed; allowed: core, drain, driver, and driver:PROVIDER with one of AWS, Azure, GCP, virtual, separated by commas$/,
  })),
  ...['mars', 'AWS,none', 'local', ''].map((text) => ({
    name: `--providers=${text}`,
    given: { argv: [`--providers=${text}`] },
    fault:
      /^--providers: ".*" is not allowed; allowed: AWS, Azure, GCP, virtual, separated by commas; or none$/,
  })),
  {
    name: 'a driver that is not among the providers',
    given: { argv: ['--serve=core,driver:GCP', '--providers=AWS,Azure'] },
    fault:
      /^--serve: "driver:GCP" is not allowed; allowed: the drivers of --providers \(AWS,Azure\)$/,
  },
  {
    name: 'a process that would serve nothing',
    given: { argv: ['--serve=driver', '--providers=none'] },
    fault: /^--serve: "driver" with --providers=none serves nothing/,
  },
  {
    name: 'a virtual cloud that is no URL',
    given: { env: { MILLWRIGHT_VIRTUAL_CLOUD: 'localhost:7080' } },
    fault: /MILLWRIGHT_VIRTUAL_CLOUD: "localhost:7080" .* a URL/,
  },
];

test.each(refused)('the config refuses $name', ({ given, fault }) => {
  expect(faultsOf(given)).toEqual([expect.stringMatching(fault)]);
});

test('periods of the leader election count without an election too: the Lease is renewed all the same', () => {
  const argv = ['--leader-elect=false', '--leader-elect-retry-period=9s'];
  expect(faultsOf({ argv }).join()).toContain('--leader-elect-retry-period: 9s is not allowed');
});

test('all faults are reported at once, each on a line of its own', () => {
  const argv = ['--port=80a', '--nonsense', '--target-kubeconfig=none'];
  const env = { TEMPORAL_TLS: 'yes' };
  expect(faultsOf({ argv, env })).toHaveLength(4);
  expect(() => configOf({ argv, env })).toThrow(
    /^The worker cannot start:\n( {2}- .*\n){3} {2}- .*$/,
  );
});

test('help and version are printed even when there are faults', () => {
  const argv = ['--port=80a', '--help'];
  const help = readCommandLine({ component: 'watcher', argv, env: {} });
  expect(help).toMatchObject({
    kind: 'print',
    text: expect.stringContaining('millwright watcher'),
  });
  const version = readCommandLine({ component: 'watcher', argv: ['--version'], env: {} });
  expect(version).toMatchObject({
    text: expect.stringMatching(/^millwright watcher \d+\.\d+\.\d+/),
  });
});

test('nothing in the config can be changed', () => {
  const config = configOf({ env: { TEMPORAL_API_KEY: 'key' } });
  const parts = [config, config.machine, config.machine.nodeConditions, config.temporal.connection];
  expect(parts.filter((part) => !Object.isFrozen(part))).toEqual([]);
});
