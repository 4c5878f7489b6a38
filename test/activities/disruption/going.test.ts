import type { NamespaceObjects } from '../../../activities/disruption/going.ts';
import { goingOf, limitOf } from '../../../activities/disruption/going.ts';
import type { DisruptionGrant } from '../../../workflows/api/disruption-policy.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine, MachineStatus } from '../../../workflows/api/machine.ts';
import {
  aDisruptionPolicy,
  aMachine,
  aMachineDeployment,
  aMachineSet,
  controlledBy,
} from '../../support/builders.ts';

const now = Date.UTC(2026, 0, 1);
const deployment = aMachineDeployment({ metadata: { labels: { pool: 'db' } } });

function aSet(replicas: number, metadata: Partial<MachineSet['metadata']> = {}): MachineSet {
  const own = { name: 'old', ownerReferences: controlledBy(deployment), ...metadata };
  return aMachineSet({ metadata: own, spec: { replicas } });
}

const machineOf = (
  name: string,
  status: NonNullable<MachineStatus['currentStatus']>,
  metadata: Partial<Machine['metadata']> = {},
): Machine =>
  aMachine({
    metadata: { name, ownerReferences: controlledBy(aSet(0)), ...metadata },
    status: { currentStatus: status },
  });

const running = (count: number): Machine[] =>
  Array.from({ length: count }, (_, index) => machineOf(`m-${index}`, { phase: 'Running' }));

function objectsOf(set: MachineSet, ...machines: Machine[]): NamespaceObjects {
  return { deployments: [deployment], sets: [set], machines };
}

const uid = 'uid-of-workers';
const grantOf = (changes: Partial<DisruptionGrant>): DisruptionGrant => ({
  deployment: 'workers',
  uid,
  set: 'old',
  takenAt: '2025-12-31T23:55:00Z',
  ...changes,
});

function counts(
  objects: NamespaceObjects,
  grants: DisruptionGrant[] = [],
  asker: { uid?: string; machines?: ReadonlySet<string> } = {},
): [number, number] {
  const selector = { matchLabels: { pool: 'db' } };
  const policy = aDisruptionPolicy({ spec: { selector }, status: { grants } });
  const { all, underWay } = goingOf(policy, objects, { now, ...asker });
  return [all, underWay];
}

const deletionTimestamp = '2026-01-01T00:00:00Z';
const preserveExpiryTime = '2026-01-02T00:00:00Z';

test.each<{ name: string; machine: Machine; set?: MachineSet; all: number; underWay: number }>([
  { name: 'that runs', machine: machineOf('m', { phase: 'Running' }), all: 0, underWay: 0 },
  { name: 'that boots', machine: machineOf('m', { phase: 'Pending' }), all: 0, underWay: 0 },
  {
    name: 'that is being deleted',
    machine: machineOf('m', { phase: 'Running' }, { deletionTimestamp }),
    all: 1,
    underWay: 1,
  },
  { name: 'Terminating', machine: machineOf('m', { phase: 'Terminating' }), all: 1, underWay: 1 },
  {
    name: 'in an update in place',
    machine: machineOf('m', { phase: 'InPlaceUpdating' }),
    all: 1,
    underWay: 1,
  },
  { name: 'Unknown', machine: machineOf('m', { phase: 'Unknown' }), all: 1, underWay: 0 },
  { name: 'Failed', machine: machineOf('m', { phase: 'Failed' }), all: 1, underWay: 1 },
  {
    name: 'Failed and preserved',
    machine: machineOf('m', { phase: 'Failed', preserveExpiryTime }),
    all: 0,
    underWay: 0,
  },
  {
    name: 'Failed, which its set may not replace',
    machine: machineOf('m', { phase: 'Failed' }),
    set: aSet(1, { annotations: { 'millwright.dev/replacements': 'other' } }),
    all: 1,
    underWay: 0,
  },
  {
    name: 'Failed, which its set may replace',
    machine: machineOf('m', { phase: 'Failed' }),
    set: aSet(1, { annotations: { 'millwright.dev/replacements': 'other,m' } }),
    all: 1,
    underWay: 1,
  },
  {
    name: 'whose update in place failed: two of them do not wait for each other',
    machine: machineOf('m', { phase: 'InPlaceUpdateFailed' }),
    all: 1,
    underWay: 0,
  },
])('a machine $name', ({ machine, set = aSet(1), all, underWay }) => {
  expect(counts(objectsOf(set, machine))).toEqual([all, underWay]);
});

test('machines of deployments that are not selected do not count', () => {
  const objects = objectsOf(aSet(1), machineOf('m', { phase: 'Terminating' }));
  const deployments: MachineDeployment[] = [aMachineDeployment()];
  expect(counts({ ...objects, deployments })).toEqual([0, 0]);
});

test('what a set has lost by its size counts until it is deleted', () => {
  expect(counts(objectsOf(aSet(1), ...running(3)))).toEqual([2, 2]);
  const going = machineOf('m-9', { phase: 'Running' }, { deletionTimestamp });
  expect(counts(objectsOf(aSet(1), ...running(2), going))).toEqual([2, 2]);
  expect(counts(objectsOf(aSet(3, { deletionTimestamp }), ...running(3)))).toEqual([3, 3]);
});

test('a grant counts until its set has shrunk, but not for the deployment that asks', () => {
  const grants = [grantOf({ to: 1 })];
  expect(counts(objectsOf(aSet(3), ...running(3)), grants)).toEqual([2, 2]);
  expect(counts(objectsOf(aSet(3), ...running(3)), grants, { uid })).toEqual([0, 0]);
  expect(counts(objectsOf(aSet(1), ...running(1)), grants)).toEqual([0, 0]);
});

test.each([
  { name: 'is ten minutes old', grant: grantOf({ to: 1, takenAt: '2025-12-31T23:50:00Z' }) },
  { name: 'is of another set', grant: grantOf({ to: 1, set: 'other' }) },
  { name: 'is of an earlier deployment of the name', grant: grantOf({ to: 1, uid: 'earlier' }) },
])('a grant that $name does not count', ({ grant }) => {
  expect(counts(objectsOf(aSet(3), ...running(3)), [grant])).toEqual([0, 0]);
});

test('a machine that may be replaced is under way for others, and not for itself', () => {
  const objects = objectsOf(aSet(1), machineOf('m', { phase: 'Unknown' }));
  const grants = [grantOf({ machine: 'm' })];
  expect(counts(objects, grants)).toEqual([1, 1]);
  expect(counts(objects, grants, { machines: new Set(['m']) })).toEqual([0, 0]);
  const well = objectsOf(aSet(1), machineOf('m', { phase: 'Running' }));
  expect(counts(well, grants)).toEqual([0, 0]);
});

test.each([
  { reason: 'CandidateForUpdate', isCounted: false },
  { reason: 'SelectedForUpdate', isCounted: true },
  { reason: 'DrainSuccessful', isCounted: true },
  { reason: 'ReadyForUpdate', isCounted: true },
  { reason: 'UpdateFailed', isCounted: true },
  // The condition stays until the next update.
  { reason: 'UpdateSuccessful', isCounted: false },
])('a machine whose update in place is at $reason counts once: $isCounted', (one) => {
  const conditions = [{ type: 'InPlaceUpdate', status: 'True' as const, reason: one.reason }];
  for (const phase of one.isCounted
    ? (['Running', 'InPlaceUpdating'] as const)
    : ['Running' as const]) {
    const status = { currentStatus: { phase }, conditions };
    const machine = { ...machineOf('m', { phase }), status };
    const count = Number(one.isCounted);
    expect(counts(objectsOf(aSet(1), machine))).toEqual([count, count]);
  }
});

test('a machine that may be updated in place counts before it is selected', () => {
  const strategy = { type: 'InPlaceUpdate' as const };
  const deployments = [{ ...deployment, spec: { ...deployment.spec, strategy } }];
  const objects = { ...objectsOf(aSet(2), ...running(2)), deployments };
  const grants = [grantOf({ machine: 'm-1' })];
  expect(counts(objects, grants)).toEqual([1, 1]);
  expect(counts(objects, grants, { machines: new Set(['m-1']) })).toEqual([0, 0]);
});

test.each([
  { machines: undefined, limit: undefined },
  { machines: 2, limit: 2 },
  { machines: '50%', limit: 2 },
  { machines: '+34%', limit: 2 },
  { machines: '0%', limit: 0 },
])('machines: $machines of 3 replicas is $limit', ({ machines, limit }) => {
  const atATime = machines === undefined ? {} : { machines };
  const policy = aDisruptionPolicy({ spec: { atATime } });
  expect(limitOf(policy, objectsOf(aSet(3)))).toBe(limit);
});
