import { readCommandLine, type Config } from '../../../workers/config/config.ts';
import type { Component } from '../../../workers/config/flags/flag.ts';
import { isNamedAsMcm } from '../../../workers/config/mcm-name.ts';

test.each<{
  component: Component;
  argv0?: string;
  script?: string;
  title?: string;
  isNamed: boolean;
}>([
  { component: 'watcher', argv0: './machine-controller-manager', isNamed: true },
  { component: 'watcher', script: '/app/machine-controller-manager', isNamed: true },
  { component: 'watcher', title: 'machine-controller-manager', isNamed: true },
  { component: 'watcher', script: '/app/watcher.js', isNamed: false },
  { component: 'watcher', script: '/app/machine-controller', isNamed: false },
  { component: 'worker', script: '/app/machine-controller', isNamed: true },
  { component: 'worker', script: '/app/machine-controller-manager', isNamed: false },
  { component: 'worker', argv0: 'machine-controller-manager-provider-aws', isNamed: false },
])('a $component with $argv0 $script $title stands in for MCM: $isNamed', (given) => {
  const { component, argv0 = 'node', script = '/app/x.js', title = 'node', isNamed } = given;
  expect(isNamedAsMcm(component, { argv0, argv: ['/usr/bin/node', script], title })).toBe(isNamed);
});

interface Given {
  argv?: string[];
  flags?: string;
  isNamed?: boolean;
}

function configOf({ argv = [], flags, isNamed = false }: Given): Config {
  const command = readCommandLine({
    component: 'worker',
    argv,
    env: { MILLWRIGHT_FLAGS: flags },
    isNamedAsMcm: isNamed,
  });
  if (command.kind !== 'run') throw new Error(command.text);
  return command.config;
}

test('under a name of MCM some defaults are others, and flags win over them', () => {
  const usual = {
    isNamedAsMcm: false,
    shutdownGraceSeconds: 20,
    log: { format: 'auto' },
    leaderElection: { resourceName: 'millwright' },
  };
  const asMcm = {
    isNamedAsMcm: true,
    shutdownGraceSeconds: 4,
    log: { format: 'klog' },
    leaderElection: { resourceName: 'machine-controller-manager' },
  };
  expect(configOf({})).toMatchObject(usual);
  expect(configOf({ isNamed: true })).toMatchObject(asMcm);
  const argv = [
    '--shutdown-grace-period=20s',
    '--log-format=auto',
    '--leader-elect-resource-name=millwright',
  ];
  expect(configOf({ isNamed: true, argv })).toMatchObject({ ...usual, isNamedAsMcm: true });
});

test('flags of the environment hold unless the command line says otherwise', () => {
  const flags = ' --cluster-id=seed-1\n --port=1 ';
  const { install, http } = configOf({ flags, argv: ['--port=2'] });
  expect([install.clusterId, http.port]).toEqual(['seed-1', 2]);
  expect(configOf({ flags: '--ambient-credentials' }).drivers.allowsAmbientCredentials).toBe(true);
});

test('a fault of the environment names the variable', () => {
  const given = { flags: '--cluster-idd=x', argv: ['--porrt=2'] };
  expect(() => configOf(given)).toThrow(/MILLWRIGHT_FLAGS: --cluster-idd is not known/);
  expect(() => configOf(given)).toThrow(/ {2}- --porrt is not known/);
});
