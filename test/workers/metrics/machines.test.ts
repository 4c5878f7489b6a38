import { drainFailedMessage } from '../../../workflows/api/drain-failure.ts';
import type { LastOperation, Machine } from '../../../workflows/api/machine.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { RolloutState } from '../../../watcher/cache/figures.ts';
import { aMachine, aMachineDeployment, aMachineSet, controlledBy } from '../../support/builders.ts';
import { LeadingWatcher } from './leading-watcher.ts';

let watcher: LeadingWatcher;
beforeEach(() => {
  watcher = new LeadingWatcher();
});

const ago = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString();

const lineOf = (deploymentName: string, phase: string, count: number) =>
  `millwright_machines{kube_namespace="shoot",machine_deployment="${deploymentName}",phase="${phase}"} ${count}`;

test('machines are counted by the deployment that owns them and by phase', async () => {
  const deployment = aMachineDeployment();
  const set = aMachineSet({ metadata: { ownerReferences: controlledBy(deployment) } });
  const owned = { ownerReferences: controlledBy(set) };
  watcher.put(
    deployment,
    set,
    aMachine({ metadata: { name: 'a', ...owned }, phase: 'Running' }),
    aMachine({ metadata: { name: 'b', ...owned }, phase: 'Running' }),
    aMachine({ metadata: { name: 'c', ...owned } }),
    aMachine({ metadata: { name: 'alone' }, phase: 'Unknown' }),
  );
  expect(await watcher.lines('millwright_machines')).toEqual([
    lineOf('workers', 'Running', 2),
    lineOf('workers', 'Pending', 1),
    lineOf('', 'Unknown', 1),
  ]);
});

function joining(seconds: number, changes: Partial<Machine['spec']> = {}): Machine {
  return aMachine({
    phase: 'Pending',
    metadata: { name: 'm', creationTimestamp: ago(seconds) },
    spec: { class: { kind: 'MachineClass', name: 'small' }, providerID: 'v:///0', ...changes },
  });
}

describe('a machine whose Node does not join', () => {
  test.each<[what: string, isCounted: boolean, machine: Machine]>([
    ['for 9 minutes of 20', false, joining(540)],
    ['for 11 minutes of 20', true, joining(660)],
    ['for 6 minutes of its own 10', true, joining(360, { creationTimeout: '10m' })],
    ['without an instance', false, joining(660, { providerID: '' })],
  ])('%s: %s', async (_what, isCounted, machine) => {
    watcher.put(machine);
    expect(await watcher.lines('millwright_machines_not_joined')).toHaveLength(isCounted ? 1 : 0);
  });
});

function withOperation(lastOperation: LastOperation, deletionTimestamp?: string): Machine {
  return aMachine({
    metadata: { name: 'm', ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
    status: { currentStatus: { phase: 'CrashLoopBackOff' }, lastOperation },
  });
}

const said = (code: string, words: string): string =>
  `Cloud provider message - machine codes error: code = [${code}] message = [${words}]`;

test.each([
  ['ResourceExhausted', 'the zone has no more capacity for size "small"', 'capacity'],
  ['ResourceExhausted', 'Quota "CPUS" exceeded', 'quota'],
  ['InvalidArgument', 'size: "huge" is not known', 'bad-spec'],
  ['InvalidArgument', 'Secret "cloud" does not exist', 'missing-secret'],
  ['PermissionDenied', 'the key is disabled', 'credentials'],
  ['InvalidArgument', 'provider "x" has no driver: no worker serves it', 'worker-down'],
  ['Unavailable', 'try later', ''],
])('creations that fail are counted by code and trouble: %s: %s', async (code, words, trouble) => {
  const description = said(code, words);
  const failure = { type: 'Create', state: 'Failed', errorCode: code, description } as const;
  watcher.put(withOperation(failure));
  expect(await watcher.lines('millwright_creations_failing')).toEqual([
    `millwright_creations_failing{kube_namespace="shoot",code="${code}",trouble="${trouble}"} 1`,
  ]);
  watcher.put(withOperation(failure, ago(1)));
  expect(await watcher.lines('millwright_creations_failing')).toEqual([]);
});

describe('a drain that is blocked', () => {
  const budget =
    'PodDisruptionBudget shop/db: Cannot evict pod as it would violate the disruption budget';
  test.each([
    ['PodDisruptionBudget', `2 pods left: shop/db-0: ${budget}; shop/x: late`],
    [
      'PodDisruptionBudget',
      '1 pod left: shop/db-0: more than one PodDisruptionBudget takes it, which Kubernetes does not evict: a, b; keep one of them',
    ],
    ['Volume', '1 pod left: shop/db-0: volume pv-1 is still attached to this Node'],
    ['Volume', '1 pod left: a/b: volume pv and 2 more is not attached to another Node yet'],
    [
      'Pod',
      `2 pods left: a/b: its grace period is over and it has not terminated; shop/db-0: ${budget}`,
    ],
    ['Other', 'the target cluster does not answer'],
  ])('by %s: %s', async (by, words) => {
    const description = `${drainFailedMessage}${words}. Will retry in next sync. Initiate node drain`;
    watcher.put(withOperation({ type: 'Delete', state: 'Failed', description }, ago(60)));
    const found = await watcher.lines('millwright_drains_blocked');
    expect(found.filter((line) => line.endsWith(' 1'))).toEqual([
      `millwright_drains_blocked{kube_namespace="shoot",by="${by}"} 1`,
    ]);
    expect(found).toHaveLength(4);
    const operation = { type: 'Delete', state: 'Processing', description } as const;
    watcher.put(withOperation(operation, ago(60)));
    const after = await watcher.lines('millwright_drains_blocked');
    expect(after.every((line) => line.endsWith(' 0'))).toBe(true);
  });
});

test('a deletion that hooks have held for half an hour', async () => {
  const deletionTimestamp = ago(7_200);
  const held = (seconds: number): Machine => {
    const machine = withOperation({ type: 'Delete', state: 'Processing' }, ago(60));
    const lastTransitionTime = ago(seconds);
    const condition = { type: 'InstanceDeletionSuspended', status: 'True' as const };
    const conditions = [{ ...condition, lastTransitionTime }];
    return {
      ...machine,
      metadata: { ...machine.metadata, deletionTimestamp },
      status: { ...machine.status, conditions },
    };
  };
  const line = 'millwright_deletions_held{kube_namespace="shoot"}';
  watcher.put(held(1_700));
  expect(await watcher.lines('millwright_deletions_held')).toEqual([`${line} 0`]);
  watcher.put(held(1_900));
  expect(await watcher.lines('millwright_deletions_held')).toEqual([`${line} 1`]);
});

const progressing = (reason: string) => [{ type: 'Progressing', status: 'True' as const, reason }];

describe('a rollout', () => {
  const whole = { replicas: 3, updatedReplicas: 3, availableReplicas: 3, observedGeneration: 1 };
  test.each<{
    state: RolloutState;
    what: string;
    status: NonNullable<MachineDeployment['status']>;
    paused?: boolean;
  }>([
    { state: 'complete', what: 'all are new', status: whole },
    {
      state: 'complete',
      what: 'one of the new is not well',
      status: {
        ...whole,
        availableReplicas: 2,
        conditions: progressing('NewMachineSetAvailable'),
      },
    },
    {
      state: 'progressing',
      what: 'some are old',
      status: { ...whole, updatedReplicas: 1, conditions: progressing('MachineSetUpdated') },
    },
    {
      state: 'progressing',
      what: 'the template is newer than the status',
      status: { ...whole, observedGeneration: 0 },
    },
    {
      state: 'paused',
      what: 'some are old and it is paused',
      status: { ...whole, updatedReplicas: 1 },
      paused: true,
    },
    {
      state: 'blocked',
      what: 'its deadline is over',
      status: { ...whole, updatedReplicas: 1, conditions: progressing('ProgressDeadlineExceeded') },
      paused: true,
    },
  ])('is $state while $what', async ({ state, status, paused }) => {
    watcher.put(aMachineDeployment({ spec: { ...(paused && { paused }) }, status }));
    expect(await watcher.lines('millwright_rollouts')).toEqual([
      `millwright_rollouts{kube_namespace="shoot",machine_deployment="workers",state="${state}"} 1`,
    ]);
  });
});

test('frozen MachineSets are counted, zero as well', async () => {
  watcher.put(aMachineSet());
  const frozen = () => watcher.lines('millwright_machine_sets_frozen');
  expect(await frozen()).toEqual(['millwright_machine_sets_frozen{kube_namespace="shoot"} 0']);
  watcher.put(aMachineSet({ metadata: { labels: { freeze: 'True' } } }));
  expect(await frozen()).toEqual(['millwright_machine_sets_frozen{kube_namespace="shoot"} 1']);
});
