import type { Container, Deployment } from '../../../cli/install/deployments.ts';
import { commandLinesOf, translate, wordsIn, yamlOf } from '../../../cli/migrate/flags.ts';

const image = 'registry/gardener/machine-controller-manager';

/** As gardenlet and a provider extension make it. */
function aPod(manager: string[], controller: string[], sidecars: Container[] = []): Deployment {
  const containers = [
    {
      name: 'machine-controller-manager',
      image: `${image}:v0.62.1`,
      command: ['./machine-controller-manager', ...manager],
    },
    {
      name: 'machine-controller-manager-provider-aws',
      image: `${image}-provider-aws:v0.27.0`,
      args: controller,
    },
    ...sidecars,
  ];
  return {
    metadata: {
      name: 'machine-controller-manager',
      uid: '1',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { template: { spec: { containers } } },
  };
}

const translated = (manager: string[], controller: string[]) =>
  translate(commandLinesOf([aPod(manager, controller)]).lines, 'shoot');

test('flags of both containers become values; what the chart says itself is left out', () => {
  const { values, leftOut, withoutEffect, faults } = translated(
    ['--control-kubeconfig=inClusterConfig', '--namespace=shoot', '--port=10258', '--safety-up=4'],
    ['--machine-creation-timeout=30m', '--machine_drain_timeout', '1h', '--profiling'],
  );
  expect(values).toEqual({
    flags: {
      'safety-up': '4',
      'machine-creation-timeout': '30m',
      'machine-drain-timeout': '1h',
    },
    machines: { namespace: 'shoot' },
  });
  expect(leftOut).toEqual([
    '--control-kubeconfig: values control.*',
    '--port: the chart chooses the ports',
  ]);
  expect(withoutEffect).toEqual([expect.stringMatching(/^--profiling: .*Node\.js/)]);
  expect(faults).toEqual([]);
});

test('where the two processes differ so do ours; a value that is the default is left out', () => {
  const { values } = translated(
    ['--concurrent-syncs=10', '--kube-api-qps=100', '--machine-health-timeout=600s'],
    ['--concurrent-syncs=30', '--kube-api-qps=100'],
  );
  expect(values).toEqual({
    flags: { 'kube-api-qps': '100' },
    watcher: { flags: { 'concurrent-syncs': '10' } },
    workers: { worker: { flags: { 'concurrent-syncs': '30' } } },
    machines: { namespace: 'shoot' },
  });
});

test('no target cluster is a value of the chart', () => {
  const { values } = translated([], ['--target-kubeconfig=none']);
  expect(values.target).toEqual({ cluster: 'none' });
});

test('unknown flags and wrong values are named once, and a missing Lease is seen', () => {
  const { faults, isWithoutLease } = translated(
    ['--invented=1', '--leader-elect=0'],
    ['--invented=1', '--machine-drain-timeout=soon'],
  );
  expect(faults).toEqual([
    expect.stringMatching(/^--invented is not known/),
    expect.stringMatching(/^--machine-drain-timeout: "soon" is not allowed/),
  ]);
  expect(isWithoutLease).toBe(true);
  expect(translated(['--leader-elect'], []).isWithoutLease).toBe(false);
});

test('a container of somebody else is named, not read', () => {
  const { lines, others } = commandLinesOf([
    aPod([], [], [{ name: 'proxy', image: 'envoy:1', args: ['--strange'] }]),
  ]);
  expect(lines.map(({ component }) => component)).toEqual(['watcher', 'worker']);
  expect(others).toEqual(['proxy']);
});

test('a file has a flag a line, also as a list of YAML', () => {
  const file = '# of the machine controller\n  - --safety-up=3\n\n- "--v=3"\n--profiling\n';
  expect(wordsIn(file)).toEqual(['--safety-up=3', '--v=3', '--profiling']);
});

test('values are printed as YAML', () => {
  expect(yamlOf({ flags: { 'safety-up': '4' }, target: { cluster: 'none' } })).toEqual([
    'flags:',
    '  safety-up: "4"',
    'target:',
    '  cluster: "none"',
  ]);
});
