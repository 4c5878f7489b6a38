import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { idleActionsOf } from '../../support/idle-actions.ts';
import { readCommandLine } from '../../../workers/config/config.ts';
import {
  checkNames,
  checksOf,
  roundSecondsOf,
  type CheckSettings,
} from '../../../workers/checks/checks.ts';
import { roundScheduleOf, scheduleOf } from '../../../workers/checks/schedules.ts';
import { taskQueueOf } from '../../../workflows/contracts/task-queues.ts';
import { scheduleIdOf } from '../../../workflows/contracts/workflow-ids.ts';
import * as workflows from '../../../workflows/index.ts';
import { aWorld } from '../../support/world.ts';
import { Install, minuteMs } from './install.ts';

const cluster = 'uid-of-kube-system';

function settingsOf(...argv: string[]): CheckSettings {
  const command = readCommandLine({ component: 'worker', argv, env: {} });
  if (command.kind !== 'run') throw new Error(command.text);
  const { config } = command;
  const { install: named, namespaces } = config;
  if (namespaces.kind !== 'one') throw new Error('the settings are those of one namespace');
  const { name, clusterName } = named;
  const install = { cluster, name, ...(clusterName !== undefined && { clusterName }) };
  const namespace = namespaces.name;
  return { ...config, namespace, identity: { ...install, taskQueue: taskQueueOf(install) } };
}

function schedulesOf(...argv: string[]) {
  const settings = settingsOf(...argv);
  return checksOf(settings).map((check) => scheduleOf(check, settings));
}

test('each check is a workflow that exists, under the name of its install', () => {
  const schedules = schedulesOf('--namespace=shoot');
  expect(schedules.map(({ scheduleId }) => scheduleId)).toEqual([
    'safety/orphans/shoot',
    'safety/overshoot/shoot',
    'safety/lost-workflows/shoot',
    'safety/unmanaged-nodes/shoot',
    'safety/reachability/shoot',
  ]);
  for (const { action } of schedules) expect(Object.keys(workflows)).toContain(action.workflowType);
});

test('ids and queue of the checks name the install, and not the namespace that it serves', () => {
  const flags = ['--install=blue', '--cluster-name=eu'];
  const [one] = schedulesOf('--namespace=shoot', ...flags);
  const [other] = schedulesOf('--namespace=garden', ...flags);
  expect(one?.scheduleId).toBe('safety/orphans/eu/blue');
  expect(other?.scheduleId).toBe(one?.scheduleId);
  expect(other?.action.taskQueue).toBe('millwright/uid-of-kube-system/blue');
  expect(other?.action.taskQueue).toBe(one?.action.taskQueue);
});

test('every check names its cluster and namespace', () => {
  for (const { action } of schedulesOf('--namespace=shoot')) {
    expect(action.args).toEqual([expect.objectContaining({ namespace: 'shoot', cluster })]);
  }
});

test('flags become the input', () => {
  const [orphans, overshoot, _entities, nodes, reachability] = schedulesOf(
    '--safety-up=5',
    '--safety-down=3',
    '--machine-safety-overshooting-period=90s',
    '--safety-entities-period=7m',
    '--machine-safety-orphan-vms-period=2m',
    '--safety-orphans=report',
    '--safety-orphans-max-deletions=3',
    '--safety-orphans-min-age=90s',
    '--machine-creation-timeout=5m',
    '--safety-unmanaged-nodes-selector=pool=a',
    '--machine-safety-apiserver-statuscheck-timeout=10s',
    '--machine-safety-apiserver-statuscheck-period=20s',
  );
  expect(reachability?.action.args).toEqual([
    { namespace: 'default', cluster, timeoutSeconds: 10, periodSeconds: 20 },
  ]);
  expect(orphans?.action.args).toEqual([
    {
      namespace: 'default',
      cluster,
      mode: 'report',
      maxDeletions: 3,
      minAgeSeconds: 90,
    },
  ]);
  expect(overshoot?.action.args).toEqual([{ namespace: 'default', cluster, up: 5, down: 3 }]);
  expect(nodes?.action.args).toEqual([
    { namespace: 'default', cluster, creationTimeoutSeconds: 300, selector: 'pool=a' },
  ]);
});

const periods = [
  '--machine-safety-orphan-vms-period',
  '--machine-safety-overshooting-period',
  '--safety-entities-period',
  '--machine-safety-apiserver-statuscheck-period',
];

test.each([
  { period: '2m', round: 120 },
  { period: '24h', round: 86_400 },
  // Temporal knows no interval that is shorter than a second.
  { period: '0s', round: 1 },
])('a period of $period is that of the rounds: no check runs by itself', (expected) => {
  const settings = settingsOf(...periods.map((flag) => `${flag}=${expected.period}`));
  const { scheduleId, spec, action } = roundScheduleOf(settings);
  expect(scheduleId).toBe('safety/all/default');
  expect(spec.intervals).toMatchObject([{ every: expected.round * 1_000 }]);
  const offset = Number(spec.intervals?.[0]?.offset);
  expect(action.args).toEqual([
    { cluster, everySeconds: expected.round, offsetSeconds: offset / 1_000 },
  ]);
  expect(Object.keys(workflows)).toContain(action.workflowType);
  for (const check of checksOf(settings)) {
    const { intervals } = scheduleOf(check, settings).spec;
    expect(intervals).toMatchObject([{ every: 365 * 86_400_000 }]);
  }
});

test('a period is the flag of its check, and the shortest that of the rounds', () => {
  const [first, second, third, fourth] = periods;
  const flags = [`${first}=1m`, `${second}=2m`, `${third}=3m`, `${fourth}=4m`];
  const settings = settingsOf(...flags);
  expect(checksOf(settings).map(({ name, periodSeconds }) => [name, periodSeconds])).toEqual([
    ['orphans', 60],
    ['overshoot', 120],
    ['lost-workflows', 180],
    ['unmanaged-nodes', 60],
    ['reachability', 240],
  ]);
  expect(roundSecondsOf(settings)).toBe(60);
});

test('a fleet has one Schedule of rounds for all its namespaces', () => {
  const settings = settingsOf('--install=blue', '--cluster-name=eu');
  const identity = { ...settings.identity, fleetNamespace: 'shoot' };
  const { scheduleId, action } = roundScheduleOf({ ...settings, identity });
  expect(scheduleId).toBe('safety/all/eu/blue');
  expect(action.taskQueue).toBe('millwright/uid-of-kube-system/blue');
});

test.each([1, 2, 10, 500])(
  'an install of %i namespaces at rest costs at most 6,000 actions of Temporal Cloud a day',
  (namespaces) => {
    const settings = settingsOf();
    const { orphanPeriodSeconds } = settings.safety;
    const roundSeconds = roundSecondsOf(settings);
    const actions = idleActionsOf({ namespaces, roundSeconds, orphanPeriodSeconds });
    expect(actions).toBeLessThanOrEqual(6_000);
  },
);

test.each(['docs/safety.md', 'docs/temporal.md'])('and %s says how many', (page) => {
  const settings = settingsOf();
  const { orphanPeriodSeconds } = settings.safety;
  const roundSeconds = roundSecondsOf(settings);
  const actions = idleActionsOf({ namespaces: 1, roundSeconds, orphanPeriodSeconds });
  const shown = Math.round(actions).toLocaleString('en');
  expect(readFileSync(page, 'utf8').replaceAll(/\s+/g, ' ')).toContain(`${shown} actions a day`);
});

test('installs do not all run at once, and always at the same second', () => {
  const offsets = ['a', 'b', 'c', 'd'].map((namespace) => {
    const [first] = schedulesOf(`--namespace=${namespace}`);
    expect(first).toEqual(schedulesOf(`--namespace=${namespace}`)[0]);
    return Number(first?.spec.intervals?.[0]?.offset);
  });
  expect(new Set(offsets).size).toBeGreaterThan(1);
  for (const offset of offsets) {
    expect(offset % 1_000).toBe(0);
    expect(offset).toBeLessThan(365 * 86_400_000);
  }
});

test.each([
  { mode: 'delete', isOff: false },
  { mode: 'report', isOff: false },
  { mode: 'off', isOff: true },
])('--safety-orphans=$mode', ({ mode, isOff }) => {
  expect(checksOf(settingsOf(`--safety-orphans=${mode}`))[0]).toMatchObject({ isOff });
});

const folder = mkdtempSync(join(tmpdir(), 'schedules-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

const keyLine = (id: string): string => `${id} ${Buffer.alloc(32, id).toString('base64')}\n`;

/** The first one encrypts. */
function keysFile(...ids: string[]): string {
  const path = join(folder, ids.join('-'));
  writeFileSync(path, ids.map(keyLine).join(''));
  return path;
}

test('Schedules are written anew under another key, so that the old one can be removed', async () => {
  const its = new Install(aWorld());
  const done = async (...flags: string[]): Promise<string[]> => {
    const { logged } = its.startWorker(...flags);
    await its.pass(minuteMs);
    return logged.map(({ msg }) => msg).filter((msg) => msg.startsWith('schedule '));
  };
  const changed = Array.from({ length: 6 }, () => 'schedule changed');
  expect(await done()).toEqual(changed.map(() => 'schedule created'));
  expect(await done(`--payload-keys=${keysFile('old')}`)).toEqual(changed);
  expect(await done(`--payload-keys=${keysFile('old', 'new')}`)).toEqual([]);
  expect(await done(`--payload-keys=${keysFile('new', 'old')}`)).toEqual(changed);
});

test('a Schedule that cannot be read keeps none of the others from being made', async () => {
  const its = new Install(aWorld());
  its.unreadable = scheduleIdOf('orphans', { name: 'shoot' });
  const { logged } = its.startWorker();
  const made = (): number => logged.filter(({ msg }) => msg === 'schedule created').length;
  await its.pass(minuteMs);
  expect(made()).toBe(5);
  its.temporal.lose();
  await its.pass(6 * minuteMs);
  expect(made()).toBe(10);
});

test('a worker with earlier flags, which still runs, brings no deletions back; one that starts does', async () => {
  const its = new Install(aWorld());
  its.startWorker('--safety-orphans-max-deletions=100');
  await its.pass(minuteMs);
  its.startWorker('--safety-orphans=report');
  // The first has looked at its Schedules again, and the second has not yet.
  await its.pass(4.5 * minuteMs);
  expect(await its.inputOf('orphans')).toMatchObject({ mode: 'report', maxDeletions: 10 });
  its.startWorker();
  await its.pass(minuteMs);
  expect(await its.inputOf('orphans')).toMatchObject({ mode: 'delete', maxDeletions: 10 });
});

test('a worker with earlier flags brings back no search for orphans that another has switched off', async () => {
  const its = new Install(aWorld());
  const { logged } = its.startWorker();
  const made = (): number => logged.filter(({ msg }) => msg === 'schedule created').length;
  await its.pass(minuteMs);
  expect(made()).toBe(6);
  const off = its.startWorker('--safety-orphans=off');
  await its.pass(16 * minuteMs);
  expect(off.logged.filter(({ msg }) => msg === 'schedule removed')).toHaveLength(1);
  expect(made()).toBe(6);
  // A database that was lost has none of the other Schedules either.
  its.temporal.lose();
  await its.pass(6 * minuteMs);
  expect(made()).toBe(12);
});

test('a worker without a search for orphans leaves that of one that started later', async () => {
  const its = new Install(aWorld());
  its.startWorker('--safety-orphans=off');
  await its.pass(minuteMs);
  const { logged } = its.startWorker();
  await its.pass(4.5 * minuteMs);
  expect(logged.filter(({ msg }) => msg === 'schedule created')).toHaveLength(1);
  expect(await its.inputOf('orphans')).toMatchObject({ mode: 'delete' });
});

test.each([
  ['--safety-orphans-min-age=2h', 'orphans', { minAgeSeconds: 7_200 }],
  ['--safety-up=20', 'overshoot', { up: 20 }],
  ['--safety-unmanaged-nodes-selector=pool=a', 'unmanaged-nodes', { selector: 'pool=a' }],
])('nor does it bring back what %s has changed', async (flag, check, input) => {
  const its = new Install(aWorld());
  its.startWorker();
  await its.pass(minuteMs);
  its.startWorker(flag);
  await its.pass(4.5 * minuteMs);
  expect(await its.inputOf(check)).toMatchObject(input);
});

const asFleet = ['--namespaces=shoot,other', '--install=shoot'];
const idsAs = (last: string): string[] =>
  checkNames.map((check) => `safety/${check}/${last}`).toSorted();

test.each([
  { what: 'becomes a fleet', before: [], after: asFleet, last: 'shoot:shoot' },
  { what: 'was a fleet', before: asFleet, after: [], last: 'shoot' },
])('an install that $what keeps no Schedules by their former ids', async (change) => {
  const its = new Install(aWorld());
  its.startWorker(...change.before);
  await its.pass(minuteMs);
  // It ends after a while, and makes its Schedules again until then.
  its.startWorker(...change.after, '--safety-orphans=report');
  await its.pass(2 * minuteMs);
  expect(await its.scheduleIds()).toEqual(idsAs(change.last));
});

test('what another worker made again by the former ids goes within minutes', async () => {
  const its = new Install(aWorld());
  its.startWorker(...asFleet);
  await its.pass(minuteMs);
  const { process } = its.startWorker();
  await its.pass(minuteMs);
  process.end();
  await its.pass(6 * minuteMs);
  expect(await its.scheduleIds()).toEqual(idsAs('shoot:shoot'));
});

test('a check that a person has paused stays so when its install becomes a fleet', async () => {
  const its = new Install(aWorld());
  its.startWorker();
  await its.pass(minuteMs);
  await its.setPaused('orphans', true);
  its.startWorker(...asFleet);
  await its.pass(minuteMs);
  expect(await its.notesOfPaused()).toEqual({ 'safety/orphans/shoot:shoot': 'looking into it' });
});

test('the Schedules of another namespace, which have that id, stay', async () => {
  const its = new Install(aWorld());
  its.startWorker('--namespace=other', '--install=shoot');
  await its.pass(minuteMs);
  its.startWorker(...asFleet);
  await its.pass(6 * minuteMs);
  expect(await its.scheduleIds()).toEqual([...idsAs('shoot'), ...idsAs('shoot:shoot')].toSorted());
});

test('the interval of the rounds that a person has set stays until a worker starts', async () => {
  const its = new Install(aWorld());
  its.startWorker();
  await its.pass(minuteMs);
  await its.setInterval('all', '5m');
  await its.pass(20 * minuteMs);
  expect(its.runsOf('all').length).toBeLessThan(7);
  its.startWorker();
  const before = its.runsOf('all').length;
  await its.pass(10 * minuteMs);
  expect(its.runsOf('all').length - before).toBeGreaterThanOrEqual(9);
});

test('rounds that a person has paused stay so when a worker starts', async () => {
  const its = new Install(aWorld());
  its.startWorker();
  await its.pass(minuteMs);
  await its.setPaused('all', true);
  const before = its.runsOf('all').length;
  its.startWorker();
  await its.pass(20 * minuteMs);
  expect(its.runsOf('all')).toHaveLength(before);
});

test('rounds that are lost with the data of Temporal come back within minutes', async () => {
  const its = new Install(aWorld());
  its.startWorker();
  await its.pass(minuteMs);
  its.temporal.lose();
  const before = its.runsOf('all').length;
  await its.pass(10 * minuteMs);
  expect(its.runsOf('all').length - before).toBeGreaterThanOrEqual(4);
});
