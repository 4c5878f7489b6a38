import { builtInProviders } from '../../../activities/drivers/providers.ts';
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
      drivers: [...builtInProviders],
      driversAtOnce: [],
      providers: [...builtInProviders],
    },
    noops: [],
  });
});

test.each<[line: string, expected: Partial<Config['serves']>]>([
  [
    '--serve=core,Drain --providers=none',
    { core: true, drain: true, drivers: [], driversAtOnce: [], providers: [] },
  ],
  [
    '--serve=driver --providers=azure,GCP,gcp',
    { core: false, drain: false, drivers: ['Azure', 'GCP'], driversAtOnce: [] },
  ],
  [
    '--serve=driver:aws,driver:AWS --providers=AWS,GCP',
    { core: false, drivers: ['AWS'], driversAtOnce: ['AWS'], providers: ['AWS', 'GCP'] },
  ],
  [
    '--serve=driver,driver:Virtual --providers=virtual,AWS',
    { drivers: ['virtual', 'AWS'], driversAtOnce: ['virtual'] },
  ],
])('with %s a worker serves a part', (line, expected) => {
  expect(configOf({ argv: line.split(' ') }).serves).toMatchObject(expected);
});

test.each<[flag: string, expected: object]>([
  ['--token-files', { allowsTokenFiles: true }],
  ['--ambient-credentials', { allowsAmbientCredentials: true, allowsTokenFiles: true }],
  ['--retag-adopted', { allowsRetagging: true }],
])('the flag %s allows the drivers more', (flag, expected) => {
  const nothing = {
    allowsAmbientCredentials: false,
    allowsTokenFiles: false,
    allowsRetagging: false,
  };
  expect(configOf({ argv: [flag] }).drivers).toEqual({ ...nothing, ...expected });
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

const inCluster = { kind: 'inCluster' } as const;

test.each<[line: string, expected: Pick<Config, 'control' | 'target'>]>([
  [
    `--target-kubeconfig=${file}`,
    { control: { kind: 'file', path: file }, target: { kind: 'file', path: file } },
  ],
  [
    `--control-kubeconfig=${file}`,
    { control: { kind: 'file', path: file }, target: { kind: 'default' } },
  ],
  [
    '--control-kubeconfig=inClusterConfig --target-kubeconfig=none',
    { control: inCluster, target: 'none' },
  ],
  [
    '--control-kubeconfig=inClusterConfig --target-kubeconfig-secret=target --target-token-secret=access',
    { control: inCluster, target: { kind: 'secret', name: 'target', tokenName: 'access' } },
  ],
])('clusters, given %s', (line, expected) => {
  expect(configOf({ argv: line.split(' ') })).toMatchObject(expected);
});

test.each([
  ['a, b,a', { kind: 'list', names: ['a', 'b'] }],
  ['all', { kind: 'selected', labels: '' }],
  ['labels:fleet in (eu, us),!old', { kind: 'selected', labels: 'fleet in (eu, us),!old' }],
])('--namespaces=%s names a fleet', (text, expected) => {
  const { namespaces, install } = configOf({ argv: [`--namespaces=${text}`, '--install=one'] });
  expect({ namespaces, install }).toMatchObject({ namespaces: expected, install: { name: 'one' } });
});

test.each([
  ['-v=3', 'info'],
  ['-v=4', 'debug'],
  ['-v=9', 'trace'],
  ['-v=9 --log-level=warn', 'warn'],
])('the flags %s log at level %s', (line, level) => {
  expect(configOf({ argv: line.split(' ') }).log.level).toBe(level);
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

test.each<[line: string, fault: RegExp]>([
  ['--build-id=a', /^--build-id: "a" needs --worker-deployment$/],
  // Temporal would cut its name.
  ['--worker-deployment=a.b', /^--worker-deployment: "a.b" is not allowed/],
  ['--namespaces=a', /--namespaces needs --install/],
  [
    '--namespaces=a --namespace=b --install=one',
    /--namespaces: is not allowed together with --namespace/,
  ],
  ...['A', 'a_b', ',', 'labels:', 'labels:a=`b`'].map((text): [string, RegExp] => [
    `--namespaces=${text} --install=one`,
    /--namespaces: .* is not allowed; allowed: names of namespaces/,
  ]),
  [
    `--control-kubeconfig=${file} --target-kubeconfig=${file} --target-kubeconfig-secret=a`,
    /--target-kubeconfig-secret: is not allowed together with --target-kubeconfig/,
  ],
  ['--target-kubeconfig-secret=a', /--target-kubeconfig-secret needs --control-kubeconfig/],
  ['--target-token-secret=a', /--target-token-secret needs --target-kubeconfig-secret/],
  ['--target-kubeconfig=none', /--target-kubeconfig=none needs --control-kubeconfig/],
  ...['/no/such/file', 'none'].map((path): [string, RegExp] => [
    `--control-kubeconfig=${path}`,
    new RegExp(`--control-kubeconfig: the file "${path}" does not exist`),
  ]),
  ['--workflow-bundle=/no/such/file', /--workflow-bundle/],
  // It would be read as several parts of an id.
  ['--install=a/b', /--install: "a\/b" is not allowed; allowed: at most 63 letters/],
  [
    '--leader-elect-lease-duration=10s',
    /--leader-elect-renew-deadline: 10s .* less than --leader-elect-lease-duration \(10s\)/,
  ],
  ['--leader-elect-lease-duration=15.5s', /--leader-elect-lease-duration: 15.5s .* whole seconds/],
  ['--leader-elect-retry-period=9s', /--leader-elect-retry-period: 9s/],
  ...['core,drian', 'driver:', 'driver:aws:x', 'driver:mars', 'none', '', ','].map(
    (text): [string, RegExp] => [
      `--serve=${text}`,
      /^--serve: ".*" is not allowed; allowed: core, drain, driver, and driver:PROVIDER with one of AWS, Azure, GCP, .*virtual, separated by commas$/,
    ],
  ),
  ...['mars', 'AWS,none', 'local', ''].map((text): [string, RegExp] => [
    `--providers=${text}`,
    /^--providers: ".*" is not allowed; allowed: AWS, Azure, GCP, .*virtual, separated by commas; or none$/,
  ]),
  [
    '--serve=core,driver:GCP --providers=AWS,Azure',
    /^--serve: "driver:GCP" is not allowed; allowed: the drivers of --providers \(AWS,Azure\)$/,
  ],
  ['--serve=driver --providers=none', /^--serve: "driver" with --providers=none serves nothing/],
])('the config refuses %s', (line, fault) => {
  expect(faultsOf({ argv: line.split(' ') })).toEqual([expect.stringMatching(fault)]);
});

test('a virtual cloud that is no URL is refused', () => {
  const env = { MILLWRIGHT_VIRTUAL_CLOUD: 'localhost:7080' };
  expect(faultsOf({ env })).toEqual([
    expect.stringMatching(/MILLWRIGHT_VIRTUAL_CLOUD: "localhost:7080" .* a URL/),
  ]);
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

test('the front has flags of its own, and says which others it does not use', () => {
  const given = [
    '--instance-cluster=prod',
    '--user-data-config=user-data',
    '--join-cluster-timeout=30m',
    '--skip-eviction-after=2h',
    '--replace-unhealthy',
    '--machine-controller-lease=kubermatic/mc',
    '--machine-health-timeout=5m',
  ];
  const { front, http, noops } = configOf({ component: 'front', argv: given });
  expect(front).toEqual({
    instanceCluster: 'prod',
    userDataConfig: 'user-data',
    joinClusterTimeoutSeconds: 1_800,
    skipEvictionAfterSeconds: 7_200,
    replacesUnhealthy: true,
    machineControllerLease: { namespace: 'kubermatic', name: 'mc' },
  });
  expect(http.port).toBe(10_260);
  const lease = '--machine-controller-lease=kubermatic/mc';
  const watcher = configOf({ component: 'watcher', argv: [lease] });
  expect(watcher.leaderElection.notOfMcm).toEqual(front.machineControllerLease);
  expect(configOf({ component: 'watcher' }).leaderElection.notOfMcm).toBeUndefined();
  expect(noops).toEqual([{ flag: '--machine-health-timeout', reason: 'Only the worker uses it.' }]);
  expect(configOf({ component: 'front', argv: ['--namespace=shoot'] }).front).toEqual({
    instanceCluster: 'shoot',
    replacesUnhealthy: false,
    machineControllerLease: { namespace: 'kube-system', name: 'machine-controller' },
  });
  expect(configOf({ component: 'watcher', argv: ['--replace-unhealthy'] }).noops).toEqual([
    { flag: '--replace-unhealthy', reason: 'Only the front uses it.' },
  ]);
  expect(configOf({ component: 'worker', argv: ['--leader-elect-retry-period=1s'] }).noops).toEqual(
    [{ flag: '--leader-elect-retry-period', reason: 'Only the watcher and the front use it.' }],
  );
});

test.each(['machine-controller', 'a/b/c', '/x', 'A/b'])(
  '%s is no Lease of machine-controller',
  (lease) => {
    expect(faultsOf({ component: 'front', argv: [`--machine-controller-lease=${lease}`] })).toEqual(
      [expect.stringContaining('--machine-controller-lease')],
    );
  },
);
