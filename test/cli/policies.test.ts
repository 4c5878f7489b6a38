/** What the commands show of DisruptionPolicies, and of what waits for them. */
import { explainDeployment } from '../../cli/explain/pools.ts';
import { stuckAnswer } from '../../cli/stuck/stuck.ts';
import { statusAnswer } from '../../cli/status/status.ts';
import { rootOf, treeAnswer } from '../../cli/tree/tree.ts';
import { poolsOf } from '../../cli/install/pools.ts';
import type {
  DisruptionPolicySpec,
  DisruptionPolicyStatus,
} from '../../workflows/api/disruption-policy.ts';
import type { Install } from '../../cli/install/install.ts';
import { aDisruptionPolicy, aMachineDeployment, aMachineSet } from '../support/builders.ts';
import { withEnvironment } from '../support/environment.ts';
import { anInstall, aMachine, metaOf, minutesAgo, now, running } from './diagnosis/objects.ts';

withEnvironment({ LC_ALL: 'C.UTF-8', NO_COLOR: '1', FORCE_COLOR: undefined });

const weekend = { schedule: '0 2 * * SAT', duration: '4h', timeZone: 'Europe/Berlin' };
const opens = new Date(now + 3 * 60 * 60_000).toISOString();
const closed = {
  open: false,
  until: opens,
  going: 1,
  waiting: 1,
  message: 'waits for its window',
} satisfies DisruptionPolicyStatus;

const ownedBy = (kind: string, name: string) => ({
  ownerReferences: [{ apiVersion: 'v1', kind, name, uid: `uid-of-${name}` }],
});

/** A rollout in the middle, which the policy holds: one old machine waits, and one goes. */
function aHeldInstall(
  status: DisruptionPolicyStatus = closed,
  spec: DisruptionPolicySpec = { windows: [weekend] },
): Install {
  const policy = aDisruptionPolicy({
    metadata: { namespace: 'shoot', name: 'weekend' },
    spec,
    status,
  });
  const hold = {
    type: 'Progressing',
    status: 'Unknown',
    reason: 'DeploymentPaused',
    message: 'DisruptionPolicy weekend: waits for its window',
  } as const;
  const deployment = aMachineDeployment({
    metadata: metaOf('pool', { labels: { pool: 'a' } }),
    spec: { replicas: 2 },
    status: { updatedReplicas: 1, conditions: [hold] },
  });
  const set = (name: string, revision: string) =>
    aMachineSet({
      metadata: metaOf(name, {
        ...ownedBy('MachineDeployment', 'pool'),
        annotations: { 'deployment.kubernetes.io/revision': revision },
      }),
      spec: { replicas: 1 },
    });
  const owned = ownedBy('MachineSet', 'old');
  const going = { ...owned, deletionTimestamp: minutesAgo(3), finalizers: ['x'] };
  return anInstall({
    policies: [policy],
    deployments: [deployment],
    sets: [set('old', '1'), set('new', '2')],
    machines: [
      aMachine('a', { metadata: owned, status: running }),
      aMachine('b', { metadata: going, status: running }),
      aMachine('c', { metadata: ownedBy('MachineSet', 'new'), status: running }),
    ],
  });
}

function explained(install: Install) {
  const [pool] = poolsOf(install).pools;
  if (!pool) throw new Error('no pool');
  return explainDeployment(pool, install);
}

/** In the time of its zone, and as a span. */
const until = /\w{3} \d{4}-\d\d-\d\d \d\d:\d\d CES?T \(in 3h\)/;

test('status lists each with its state, until when, and how many go and wait', () => {
  const { text, data, names } = statusAnswer(aHeldInstall(), { isWide: false });
  expect(text).toMatch(/POLICY +STATE +UNTIL +GOING +WAITING +WHY\n/);
  expect(text).toMatch(new RegExp(`weekend +closed +${until.source} +1 +1 +waits for its window`));
  expect(data).toMatchObject({
    policies: [
      {
        name: 'weekend',
        open: false,
        until: opens.replace(/\.\d+Z/, 'Z'),
        timeZone: 'Europe/Berlin',
        going: 1,
        waiting: 1,
        deployments: [{ name: 'pool', going: 1, waiting: 1 }],
      },
    ],
  });
  expect(names).toContain('disruptionpolicy/weekend');
});

test('without policies status is as it was', () => {
  const { text } = statusAnswer(anInstall(), { isWide: false });
  expect(text).not.toContain('POLICY');
});

test('explain says what a held rollout waits for, until when, and which machines wait or go', () => {
  const { awaits, facts } = explained(aHeldInstall());
  expect(awaits).toEqual({
    what: 'DisruptionPolicy weekend: waits for its window',
    until: Date.parse(opens),
    sequel: 'the rollout goes on',
  });
  const [policy] = facts.filter(({ name }) => name === 'Policy');
  expect(policy?.value).toMatch(
    new RegExp(
      `^weekend is closed until ${until.source}; 1 machine on the way \\(pool 1\\); 1 machine waiting \\(pool 1\\)$`,
    ),
  );
});

test('before the first set of the template is made, all machines wait', () => {
  const { sets, deployments, ...install } = aHeldInstall();
  const held = deployments.map((one) => ({
    ...one,
    status: { ...one.status, updatedReplicas: 0 },
  }));
  const before = { ...install, sets: sets.slice(0, 1), deployments: held };
  const { data } = statusAnswer(before, { isWide: false });
  expect(data).toMatchObject({ policies: [{ deployments: [{ going: 1, waiting: 1 }] }] });
});

test('tree says the same of the deployment', () => {
  const install = aHeldInstall();
  const root = rootOf({ kind: 'machinedeployment', name: 'pool' }, { install, namespace: 'shoot' });
  const { text } = treeAnswer(root, { install, isWide: true });
  expect(text).toMatch(
    new RegExp(`waits for its window; weekend is closed until ${until.source}; 1 machine on the`),
  );
});

const invalid = {
  type: 'Accepted',
  status: 'False',
  reason: 'Invalid',
  message: 'spec.windows[0].timeZone: "Mars": must be a time zone',
  lastTransitionTime: minutesAgo(20),
} as const;

test('a policy that cannot be followed, or lets no machine go, is a trouble for a person', () => {
  const cases: [DisruptionPolicyStatus, DisruptionPolicySpec, string | undefined][] = [
    [{ conditions: [invalid] }, { windows: [{ ...weekend, timeZone: 'Mars' }] }, invalid.message],
    [closed, { atATime: { machines: 0 } }, 'it allows 0 machines at a time, and so many wait: 1'],
    [{ ...closed, waiting: 0 }, { atATime: { machines: '0%' } }, undefined],
    [closed, { atATime: { machines: 1 } }, undefined],
  ];
  for (const [status, spec, cause] of cases) {
    const install = aHeldInstall(status, spec);
    const { text } = stuckAnswer(install, { isWide: false });
    const { findings } = explained(install);
    const ofPolicies = findings.filter(({ trouble }) => trouble === 'policy-invalid');
    expect(ofPolicies).toHaveLength(cause === undefined ? 0 : 1);
    expect(/policy-invalid +disruptionpolicy\/weekend/.test(text)).toBe(cause !== undefined);
    expect(ofPolicies[0]?.cause ?? '').toContain(cause ?? '');
  }
});

test('a zone that does not exist is no reason to show nothing', () => {
  const spec = { windows: [{ ...weekend, timeZone: 'Mars' }] };
  const install = aHeldInstall({ ...closed, conditions: [invalid] }, spec);
  expect(statusAnswer(install, { isWide: false }).text).toMatch(
    /weekend +invalid +.* UTC \(in 3h\)/,
  );
});

const policiesShown = (spec: DisruptionPolicySpec): number =>
  explained(aHeldInstall(closed, spec)).facts.filter(({ name }) => name === 'Policy').length;

test('a policy selects by labels, and all of its namespace without any', () => {
  expect(policiesShown({})).toBe(1);
  expect(policiesShown({ selector: { matchLabels: { pool: 'a' } } })).toBe(1);
  expect(policiesShown({ selector: { matchLabels: { pool: 'b' } } })).toBe(0);
});
