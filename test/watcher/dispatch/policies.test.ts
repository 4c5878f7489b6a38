import type {
  DisruptionPolicySpec,
  DisruptionPolicyStatus,
} from '../../../workflows/api/disruption-policy.ts';
import { aDisruptionPolicy } from '../../support/builders.ts';
import { Cluster } from '../cluster.ts';
import { aMachineDeployment } from '../objects.ts';

const selector = { matchLabels: { pool: 'db' } };
let cluster: Cluster;

beforeEach(() => {
  cluster = new Cluster();
  addDeployment('a', { isRolling: true });
  addDeployment('b', { isRolling: true });
  addDeployment('quiet', {});
  addDeployment('other', { isRolling: true, pool: 'web' });
  cluster.told();
});

function addDeployment(
  name: string,
  { isRolling = false, pool = 'db' }: { isRolling?: boolean; pool?: string },
): void {
  const { spec, ...deployment } = aMachineDeployment({ name, labels: { pool } });
  const updated = isRolling ? 1 : 3;
  const status = {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: 3,
    updatedReplicas: updated,
    availableReplicas: 3,
  };
  const object = { ...deployment, spec: { ...spec, replicas: 3 }, status };
  cluster.machineDeployments.put(cluster.now(object));
}

/** Deployments that are told to read, in short. */
function toldAfter(status: DisruptionPolicyStatus, spec: DisruptionPolicySpec = {}): string[] {
  const policy = aDisruptionPolicy({ spec: { selector, ...spec }, status });
  cluster.policies.put(cluster.now(policy));
  return told();
}

function told(): string[] {
  return cluster.told().map((line) => line.replace('machineSetsChanged machineDeployment/', ''));
}

const takenAt = '2026-01-01T00:00:00Z';
const turnOf = (deployment: string) => ({
  deployment,
  uid: `uid-of-${deployment}`,
  since: takenAt,
});
const grantOf = (deployment: string, to: number) => {
  const [uid, set] = [`uid-of-${deployment}`, `${deployment}-old`];
  return { deployment, uid, set, to, takenAt };
};

test('a policy that comes, changes or goes is told to the deployments that roll and that it selects', () => {
  expect(toldAfter({})).toEqual(['a', 'b']);
  expect(toldAfter({}, { atATime: { machines: 2 } })).toEqual(['a', 'b']);
  cluster.policies.remove(cluster.now(aDisruptionPolicy({ spec: { selector } })));
  expect(told()).toEqual(['a', 'b']);
});

test('deployments that a selector leaves are told as well as those that it takes in', () => {
  toldAfter({});
  expect(toldAfter({}, { selector: { matchLabels: { pool: 'web' } } })).toEqual([
    'a',
    'b',
    'other',
  ]);
});

test('where Failed machines wait, those that do not roll are told as well', () => {
  expect(toldAfter({}, { reasons: ['Repair'] })).toEqual(['a', 'b', 'quiet']);
});

test('what is only counted or said is told to none', () => {
  toldAfter({});
  expect(toldAfter({ going: 2, waiting: 4, open: true, until: takenAt, message: 'x' })).toEqual([]);
});

test('a turn that is taken wakes none, and one that is given back those that wait', () => {
  toldAfter({});
  expect(toldAfter({ turns: [turnOf('a')] })).toEqual([]);
  expect(toldAfter({})).toEqual(['a', 'b']);
});

test('the next grant of a deployment leaves no room, and the end of its last one does', () => {
  toldAfter({});
  expect(toldAfter({ grants: [grantOf('a', 2)] })).toEqual([]);
  expect(toldAfter({ grants: [grantOf('a', 1)] })).toEqual([]);
  expect(toldAfter({})).toEqual(['a', 'b']);
});

test('a grant in the place of another deployment is told to all but the one that took it', () => {
  toldAfter({ grants: [grantOf('a', 2)] });
  expect(toldAfter({ grants: [grantOf('b', 2)] })).toEqual(['a']);
});
