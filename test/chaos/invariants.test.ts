import type { CloudInstance } from '../e2e/support/virtual-cloud.ts';
import {
  aMachine,
  aMachineDeployment,
  aMachineSet,
  aNode,
  aSecret,
  namespace,
} from '../support/builders.ts';
import { lastingInvariants, restingInvariants, type Expectation } from './invariants.ts';
import type { Snapshot } from './snapshot.ts';

const providerID = 'local:///a/i-1';

const instance: CloudInstance = {
  id: 'i-1',
  name: 'pool-77-x',
  token: 'token-1',
  providerID,
  state: 'running',
  bootAt: '2026-01-01T00:00:00.000Z',
  userDataDigest: '',
  address: '10.128.0.1',
  tags: {},
};

const machine = aMachine({
  phase: 'Running',
  metadata: { name: 'pool-77-x', labels: { node: 'pool-77-x' } },
  spec: { class: { kind: 'MachineClass', name: 'small' }, providerID },
});

const deployment = aMachineDeployment({
  metadata: { name: 'pool', generation: 1 },
  spec: { replicas: 1 },
  status: {
    observedGeneration: 1,
    replicas: 1,
    updatedReplicas: 1,
    availableReplicas: 1,
    conditions: [{ type: 'Progressing', status: 'True', reason: 'NewMachineSetAvailable' }],
  },
});

/** One pool of one machine, at rest. */
const atRest: Snapshot = {
  instances: [instance],
  calls: {
    operations: {},
    createsFromKnownToken: 0,
    machinesPerToken: { max: 1, offenders: {} },
    createsPerName: { 'pool-77-x': 1 },
    vanishedPerName: {},
  },
  machines: [machine],
  sets: [aMachineSet({ metadata: { name: 'pool-77' } })],
  deployments: [deployment],
  classes: [],
  secrets: [],
  nodes: [aNode({ metadata: { name: 'pool-77-x' }, spec: { providerID } })],
  running: ['machine/pool-77-x', 'machineDeployment/pool', 'machineSet/pool-77'].map((id) =>
    id.replace('/', `/${namespace}/`),
  ),
  endedBadly: [],
};

const gone: Snapshot = {
  ...atRest,
  instances: [],
  machines: [],
  sets: [],
  deployments: [],
  nodes: [],
  running: [],
};

const expectation: Expectation = {
  wishes: { pool: { replicas: 1, class: 'small' } },
};
const nothing: Expectation = { ...expectation, wishes: {} };

const violations = (change: Partial<Snapshot>, wanted = expectation): string[] =>
  [...restingInvariants, ...lastingInvariants].flatMap((invariant) =>
    invariant.violations({ ...atRest, ...change }, wanted),
  );

const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a/b'] };

test('a pool at rest breaks nothing, and neither does nothing at all', () => {
  expect(violations({})).toEqual([]);
  expect(violations(gone, nothing)).toEqual([]);
});

describe('a broken invariant is reported:', () => {
  test.each<[string, Partial<Snapshot>, string]>([
    ['a lost VM', { instances: [] }, 'VM pool-77-x local:///a/i-1 is missing'],
    [
      'a VM of nobody',
      { instances: [instance, { ...instance, name: 'other' }] },
      'VM other local:///a/i-1 belongs to nothing',
    ],
    [
      'a second VM of a machine',
      { instances: [instance, { ...instance, providerID: 'local:///a/i-2' }] },
      'VM pool-77-x local:///a/i-2 belongs to nothing',
    ],
    [
      'a Node without a VM',
      { nodes: [...atRest.nodes, aNode({ metadata: { name: 'old' } })] },
      'Node old has no VM',
    ],
    [
      'a workflow of nothing',
      { running: [...atRest.running, 'machine/shoot/old'] },
      'workflow machine/shoot/old belongs to nothing',
    ],
    [
      'a lost workflow',
      { running: atRest.running.slice(1) },
      'workflow machine/shoot/pool-77-x is missing',
    ],
    [
      'a finalizer that holds',
      { sets: [aMachineSet({ metadata: { name: 'pool-77', ...deleted } })] },
      'MachineSet pool-77 is deleted and held by a/b',
    ],
    ['a lost deployment', { deployments: [] }, 'MachineDeployment pool is missing'],
    [
      'a machine too few',
      { machines: [], instances: [], nodes: [] },
      'pool has 0 machines instead of 1',
    ],
    [
      'a token with two VMs',
      {
        calls: { ...atRest.calls, machinesPerToken: { max: 2, offenders: { t: ['i-1', 'i-2'] } } },
      },
      'token t has the VMs i-1,i-2',
    ],
    [
      'two VMs one after the other',
      { calls: { ...atRest.calls, createsPerName: { 'pool-77-x': 2 } } },
      'Machine pool-77-x had 2 VMs',
    ],
    ['a failed workflow', { endedBadly: ['machine/a: FAILED'] }, 'machine/a: FAILED'],
  ])('%s', (...[, change, expected]) => {
    expect(violations(change)).toContain(expected);
  });

  test('a machine that is not what was wished for', () => {
    const pending = { ...machine, status: { currentStatus: { phase: 'Pending' as const } } };
    const [words] = violations({ machines: [pending] });
    expect(words).toMatch('Machine pool-77-x is {"phase":"Pending"');
  });

  test('what is left when everything was deleted', () => {
    const secrets = [aSecret({}, { name: 'small', finalizers: ['a/b'] })];
    expect(violations({ ...gone, secrets }, nothing)).toEqual([
      'Secret small is deleted and held by a/b',
    ]);
    expect(violations(atRest, nothing)).toContain('Machine pool-77-x is still there');
  });
});

test('terminations by hand are a part of the run', () => {
  const endedBadly = ['machine/a: TERMINATED', 'machine/b: FAILED'];
  expect(violations({ endedBadly })).toEqual(['machine/b: FAILED']);
});

test.each([
  [2, []],
  [3, ['Machine pool-77-x had 3 VMs']],
])('a VM that vanished once is made again once: %d VMs', (creates, expected) => {
  const createsPerName = { 'pool-77-x': creates };
  const calls = { ...atRest.calls, createsPerName, vanishedPerName: { 'pool-77-x': 1 } };
  expect(violations({ calls })).toEqual(expected);
});
