/** What holds up a namespace, and what is wrong with pools. */
import { readFile } from 'node:fs/promises';
import { diagnose } from '../../../cli/diagnosis/diagnose.ts';
import type { Install, WarningFact } from '../../../cli/install/install.ts';
import { troubles } from '../../../cli/diagnosis/trouble.ts';
import { statusAnswer } from '../../../cli/status/status.ts';
import { stuckAnswer } from '../../../cli/stuck/stuck.ts';
import { anInstall, aMachine, metaOf, minutesAgo, now, refused, running } from './objects.ts';

const found = (changes: Partial<Install>) =>
  diagnose(anInstall(changes)).map(({ trouble, object, cause }) => [
    trouble,
    `${object.kind}/${object.name}`,
    cause,
  ]);

const lease = {
  namespace: 'shoot',
  name: 'millwright',
  holder: 'watcher-0',
  renewedAt: now,
  pauses: [],
};

test('a stop is a trouble when it has stood for an hour', () => {
  const stop = { namespace: 'shoot', uid: '1', reason: 'wrong disks', by: 'ada' };
  expect(found({ stops: [{ ...stop, since: Date.parse(minutesAgo(59)) }] })).toEqual([]);
  expect(found({ stops: [{ ...stop, since: Date.parse(minutesAgo(61)) }] })).toEqual([
    ['stop-left-on', 'configmap/millwright-stop', 'everything is stopped by ada: wrong disks'],
  ]);
});

test('a stop counts earlier or later where that is asked for', () => {
  const stop = { namespace: 'shoot', uid: '1', reason: 'wrong disks', by: 'ada' };
  const install = anInstall({ stops: [{ ...stop, since: Date.parse(minutesAgo(2)) }] });
  const toldFor = (stoppedFor: number) => stuckAnswer(install, { isWide: false, stoppedFor }).names;
  expect(toldFor(60)).toEqual(['configmap/millwright-stop']);
  expect(toldFor(180)).toEqual([]);
});

test.each([
  ['worker', 'worker-down'],
  ['temporal', 'temporal-down'],
  ['target', 'api-server-down'],
] as const)('a watcher that sees no %s says so on its Lease', (reason, trouble) => {
  const from = now - 60_000;
  expect(found({ leases: [{ ...lease, pauses: [{ reason, from }] }] })).toMatchObject([
    [trouble, 'lease/millwright', expect.any(String)],
  ]);
  expect(found({ leases: [{ ...lease, pauses: [{ reason, from, until: now }] }] })).toEqual([]);
});

test('without a leader nothing happens', () => {
  const none = { ...lease, holder: undefined, renewedAt: now - 120_000 };
  expect(found({ leases: [none] })).toMatchObject(
    [['worker-down', 'lease/millwright', /no watcher leads/]].map(([a, b]) => [
      a,
      b,
      expect.stringContaining('no watcher leads'),
    ]),
  );
  expect(found({ leases: undefined })).toEqual([]);
});

test('processes that are not there, and queues that nobody polls', () => {
  const worker = {
    namespace: 'shoot',
    name: 'mw-worker',
    component: 'worker',
    isWatcher: false,
  };
  const watcher = { ...worker, name: 'mw-watcher', component: 'watcher', isWatcher: true };
  expect(
    found({
      processes: [
        { ...worker, wanted: 2, available: 0 },
        { ...watcher, wanted: 0, available: 0 },
        { ...worker, name: 'mw-drain', wanted: 2, available: 1 },
      ],
      temporal: { address: 't:7233', namespace: 'machines', pollers: { q: 0, r: 1 }, tookMs: 3 },
    }),
  ).toEqual([
    ['worker-down', 'queue/q', 'no worker polls this task queue'],
    ['worker-down', 'deployment/mw-watcher', 'the watcher is scaled to 0'],
    ['worker-down', 'deployment/mw-worker', 'none of 2 pods of the worker is available'],
  ]);
});

test('Temporal that does not answer', () => {
  const temporal = { address: 't:7233', namespace: 'machines', failure: 'no connection' };
  expect(found({ temporal })).toEqual([
    ['temporal-down', 'temporal/t:7233', 'Temporal at t:7233 does not answer: no connection'],
  ]);
});

const unreached = { address: 't:7233', namespace: 'machines', failure: 'no connection' };

test('an address of the flags that only the pods reach is no trouble while the watcher reaches it', () => {
  const temporal = { ...unreached, isOfWatcher: true };
  expect(found({ temporal })).toEqual([]);
  expect(stuckAnswer(anInstall({ temporal }), { isWide: false }).text).toBe(
    'Nothing is stuck.\n\nTemporal at t:7233, as the flags of the watcher have it, cannot be reached from here (no connection): --temporal-address names another way.',
  );
  const pause = { reason: 'temporal', from: now - 60_000 } as const;
  expect(found({ temporal, leases: [{ ...lease, pauses: [pause] }] })).toMatchObject([
    ['temporal-down', 'lease/millwright', expect.any(String)],
    ['temporal-down', 'temporal/t:7233', expect.any(String)],
  ]);
  const none = { ...lease, holder: undefined, renewedAt: now - 120_000 };
  expect(found({ temporal, leases: [none] })).toMatchObject([
    ['worker-down', 'lease/millwright', expect.any(String)],
    ['temporal-down', 'temporal/t:7233', expect.any(String)],
  ]);
});

test('a refusal is an answer of Temporal', () => {
  const temporal = { ...unreached, failure: 'Request unauthorized.', isRefused: true };
  const install = anInstall({ temporal, leases: [] });
  expect(diagnose(install)).toEqual([]);
  expect(stuckAnswer(install, { isWide: false }).text).toContain(
    'Temporal at t:7233 refuses this command: Request unauthorized.',
  );
  expect(statusAnswer(install, { isWide: false }).text).toContain(
    'Temporal: t:7233 refuses this command\n',
  );
});

const warned = (reason: WarningFact['reason'], name: string, at: number) => ({
  namespace: 'shoot',
  reason,
  object: { kind: 'MachineClass', name },
  message: `${reason} of ${name}`,
  at,
});

test('Events of the checks, of each kind the latest', () => {
  const restored = ['a', 'b'].map((name, at) => warned('WorkflowRestored', name, now + at));
  expect(
    found({
      warnings: [
        warned('TooManyOrphans', 'x', now + 1),
        warned('TooManyOrphans', 'y', now + 2),
        ...restored,
      ],
    }),
  ).toEqual([['orphan', 'machineclass/y', 'TooManyOrphans of y']]);
  expect(found({ warnings: [...restored, warned('WorkflowRestored', 'c', now + 3)] })).toEqual([
    ['temporal-lost', 'machineclass/c', 'WorkflowRestored of c'],
  ]);
});

test('pools: a rollout past its deadline, a frozen set, one in vain, a class that is refused', () => {
  const lastTransitionTime = minutesAgo(3);
  expect(
    found({
      deployments: [
        {
          apiVersion: 'v1',
          kind: 'MachineDeployment',
          metadata: metaOf('pool'),
          spec: { template: {} },
          status: {
            conditions: [
              {
                type: 'Progressing',
                status: 'False',
                reason: 'ProgressDeadlineExceeded',
                message: 'MachineSet "pool-1" has timed out progressing.',
                lastTransitionTime,
              },
            ],
          },
        },
      ],
      sets: [
        {
          apiVersion: 'v1',
          kind: 'MachineSet',
          metadata: metaOf('pool-1', { labels: { freeze: 'True' } }),
          spec: {},
          status: {
            machineSetCondition: [
              { type: 'Frozen', status: 'True', message: 'too many', lastTransitionTime },
            ],
          },
        },
        {
          apiVersion: 'v1',
          kind: 'MachineSet',
          metadata: metaOf('pool-2'),
          spec: {},
          status: {
            machineSetCondition: [
              {
                type: 'ReplicaFailure',
                status: 'True',
                reason: 'MachinesNeverJoin',
                message: 'in vain',
                lastTransitionTime,
              },
            ],
          },
        },
      ],
      classes: [
        {
          apiVersion: 'v1',
          kind: 'MachineClass',
          metadata: metaOf('small', {
            annotations: { 'millwright.dev/invalid': 'a: bad\nb: bad' },
          }),
          providerSpec: {},
        },
      ],
    }),
  ).toEqual([
    [
      'rollout-blocked',
      'machinedeployment/pool',
      'ProgressDeadlineExceeded: MachineSet "pool-1" has timed out progressing.',
    ],
    ['frozen-set', 'machineset/pool-1', 'it is frozen and creates no machines: too many'],
    ['bad-spec', 'machineclass/small', 'no machine can be made of it: a: bad; b: bad'],
    ['never-joins', 'machineset/pool-2', 'in vain'],
  ]);
});

test('what holds up all comes first, then what people have to repair, then the longest wait', () => {
  const quota = aMachine('quota', { status: refused('ResourceExhausted', 'quota') });
  const bad = aMachine('bad', { status: refused('InvalidArgument', 'x') });
  const temporal = { address: 't:7233', namespace: 'machines', failure: 'no connection' };
  expect(found({ machines: [quota, bad], temporal }).map(([trouble]) => trouble)).toEqual([
    'temporal-down',
    'bad-spec',
    'quota',
  ]);
});

test('the names are those of decision 49', async () => {
  const page = await readFile(
    new URL('../../../docs/decisions/0049-operator-surface.md', import.meta.url),
    'utf8',
  );
  const names = [...page.matchAll(/^\| `([a-z-]+)`/gm)].map(([, name]) => name);
  expect(names).toEqual([...troubles]);
});

test('programs get what stands below the findings as well', () => {
  const since = Date.parse(minutesAgo(2));
  const stops = [{ namespace: 'shoot', uid: '1', reason: 'wrong disks', by: 'ada', since }];
  const temporal = { ...unreached, isOfWatcher: true };
  const stop = { namespace: 'shoot', reason: 'wrong disks', by: 'ada', since: minutesAgo(2) };
  const { data } = stuckAnswer(anInstall({ stops, temporal }), { isWide: false });
  expect(data).toEqual({ findings: [], stops: [stop], temporal, unread: [] });
  const { data: leaders } = statusAnswer(anInstall(), { isWide: false });
  const leader = { namespace: 'shoot', holder: 'watcher-0', renewedAt: minutesAgo(0) };
  expect(leaders).toMatchObject({ leaders: [leader], temporal: null });
});

test('a namespace that has nothing of ours is not one in which nothing works', () => {
  const none = { ...lease, holder: undefined, renewedAt: undefined };
  expect(found({ leases: [none] })).toEqual([]);
  expect(stuckAnswer(anInstall({ leases: [none] }), { isWide: false }).text).toContain(
    'Namespace shoot has no machines, and no watcher has led there: -n names another.',
  );
  const machine = aMachine('a', { metadata: { creationTimestamp: minutesAgo(0) } });
  const worker = { namespace: 'r', name: 'w', component: 'worker', isWatcher: true };
  const process = { ...worker, wanted: 1, available: 1 };
  for (const changes of [{ machines: [machine] }, { processes: [process] }]) {
    expect(found({ leases: [none], ...changes })).toMatchObject([
      ['worker-down', 'lease/millwright', expect.stringContaining('no watcher leads')],
    ]);
  }
});

test('an Event that is kept for a day is no trouble of now', () => {
  const warning = warned('TooManyOrphans', 'x', now - 3_600_001);
  expect(found({ warnings: [warning] })).toEqual([]);
  expect(found({ warnings: [{ ...warning, at: now - 3_599_999 }] })).toHaveLength(1);
});

test('why a namespace is not served is said until it is served again', () => {
  const warning = warned('NamespaceNotServed', 'shoot', now - 600_000);
  const told = [['worker-down', 'machineclass/shoot', 'NamespaceNotServed of shoot']];
  const free = { ...lease, holder: undefined };
  expect(found({ warnings: [warning], leases: [free] })).toEqual(told);
  expect(found({ warnings: [warning], leases: [lease] })).toEqual([]);
  expect(found({ warnings: [{ ...warning, at: now - 60_000 }], leases: [lease] })).toEqual(told);
});

test('one object that is restored again and again is no lost database', () => {
  const again = [1, 2, 3].map((at) => warned('WorkflowRestored', 'a', now - at));
  expect(found({ warnings: again })).toEqual([]);
});

const machineClass = (deletionTimestamp?: string) => ({
  apiVersion: 'machine.sapcloud.io/v1alpha1',
  kind: 'MachineClass' as const,
  metadata: metaOf('small', { ...(deletionTimestamp && { deletionTimestamp }) }),
  providerSpec: {},
});

test('a class that is to be deleted waits for its machines, which are named', () => {
  const machines = ['a', 'b', 'c', 'd'].map((name) => aMachine(name, { status: running }));
  expect(found({ classes: [machineClass()], machines })).toEqual([]);
  expect(found({ classes: [machineClass(minutesAgo(3))], machines: [] })).toEqual([]);
  expect(found({ classes: [machineClass(minutesAgo(3))], machines })).toEqual([
    [
      undefined,
      'machineclass/small',
      'it is to be deleted, and stays while machines are of it: a, b, c and 1 more',
    ],
  ]);
});
