/**
 * What a run hands over keeps the names that the release before reads: after a rollback that one
 * goes on with it (docs/internals/versions-of-workflow-code.md).
 */
import { carriedPaths, readHistory } from '../replay/histories.ts';
import * as machine from '../../workflows/machine/carried.ts';
import * as machineDeployment from '../../workflows/machine-deployment/state.ts';
import * as machineSet from '../../workflows/machine-set/state.ts';
import { newMachineState } from '../../workflows/machine/state.ts';

const requeue = { failures: 2, retryAt: 5_000 };
const refused = { names: ['a'], reason: 'FailedUpdate' as const, message: 'no', ...requeue };
const attempts = { ...requeue, lastError: 'quota' };
const outage = { reason: 'away', attempts: 2, retryAt: 5_000 };
const ofSet = machineSet.toCarried(machineSet.newState());
const unpushable = { generation: 1, names: ['b'], error: 'no webhook' };

test.each<machineSet.CarriedSet>([
  ...carriedPaths('machineSet').map((path) => JSON.parse(readHistory(path))),
  { ...ofSet, ...attempts, refused, unpushable: { ...unpushable, ...requeue } },
  { ...ofSet, unpushable },
])('a set hands on what was carried as it was: %#', (carried) => {
  expect(machineSet.toCarried(machineSet.fromCarried(carried))).toEqual(carried);
});

test.each<machineDeployment.CarriedDeployment>([
  ...carriedPaths('machineDeployment').map((path) => JSON.parse(readHistory(path))),
  {
    ...machineDeployment.toCarried(machineDeployment.newState()),
    ...attempts,
    done: { effect: 'x', attempts: 1 },
    sync: { ...attempts, done: { effect: 'y', attempts: 2 } },
    refused,
    nodesError: 'away',
    nodesRetryAt: 6_000,
    nodeFailures: 3,
    commandError: 'pause: denied',
  },
])('a deployment hands on what was carried as it was: %#', (carried) => {
  const { fromCarried, toCarried } = machineDeployment;
  expect(toCarried(fromCarried(carried))).toEqual(carried);
});

test.each<machine.CarriedMachine>([
  ...carriedPaths('machine').map((path) => JSON.parse(readHistory(path))),
  {
    ...machine.toCarried(newMachineState(0)),
    object: { isGone: false, isStale: true, outage },
    preservation: {
      seen: '',
      outage,
      drain: { startedAt: 1, isDone: false, error: 'blocked', attempts: 2, retryAt: 5_000 },
    },
  },
])('a machine hands on what was carried as it was: %#', (carried) => {
  expect(machine.toCarried(machine.fromCarried(carried))).toEqual(carried);
});
