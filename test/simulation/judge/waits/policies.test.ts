import { anObject, courtroom, minuteMs, ownerReference } from '../courtroom.ts';
import type { Courtroom } from '../courtroom.ts';

const hourMs = 60 * minuteMs;
const templateOf = (version: string) => ({
  metadata: { labels: { version } },
  spec: { class: { kind: 'MachineClass', name: 'small' } },
});

/** Pool `a`, all of whose machines are old ones. */
function put(
  court: Courtroom,
  { message = '', reason = 'DeploymentPaused', annotations = {} },
): void {
  const spec = {
    replicas: 1,
    selector: { matchLabels: { pool: 'a' } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
    template: templateOf('2'),
  };
  const condition = { type: 'Progressing', status: 'Unknown', reason, message };
  const status = { observedGeneration: 1, conditions: [condition] };
  const metadata = { generation: 1, annotations };
  court.control.put(anObject('MachineDeployment', 'a', { spec, status, metadata }));
  const ownerReferences = ownerReference('MachineDeployment', 'a');
  const set = { spec: { replicas: 1, template: templateOf('1') }, status: { replicas: 1 } };
  court.control.put(anObject('MachineSet', 'a-1', { ...set, metadata: { ownerReferences } }));
}

function putPolicy(court: Courtroom, spec: object, status: object = {}): void {
  const object = anObject('DisruptionPolicy', 'nights', { spec, status });
  court.control.put({ ...object, apiVersion: 'millwright.dev/v1alpha1' });
}

async function broken(court: Courtroom): Promise<string[]> {
  await court.pass(hourMs);
  return court.broken(true).filter((rule) => /polic|turn/.test(rule));
}

const closed = { windows: [{ schedule: '0 12 * * *', duration: '1h' }] };
const [silent, forNothing] = [
  'a deployment says which policy it waits for',
  'a rollout does not wait for a policy that is open',
];
const says = { message: 'DisruptionPolicy nights: opens at noon' };

test.each<{ what: string; deployment: object; policy: object; rules: string[] }>([
  { what: 'says for what', deployment: says, policy: closed, rules: [] },
  { what: 'says nothing', deployment: {}, policy: closed, rules: [silent] },
  {
    what: 'says that it goes on',
    deployment: { reason: 'MachineSetUpdated', message: 'goes on' },
    policy: closed,
    rules: [silent],
  },
  {
    what: 'is held by a person',
    deployment: { annotations: { 'millwright.dev/canary': '1' } },
    policy: closed,
    rules: [],
  },
  { what: 'waits for what is open', deployment: says, policy: {}, rules: [forNothing] },
  { what: 'has no turn', deployment: says, policy: { atATime: { deployments: 1 } }, rules: [] },
  { what: 'says nothing, and all may go', deployment: {}, policy: {}, rules: [] },
])('a deployment that waits $what', async ({ deployment, policy, rules }) => {
  const court = courtroom();
  put(court, deployment);
  putPolicy(court, policy);
  expect(await broken(court)).toEqual(rules);
});

test.each(['nights: opens at noon', '*: the DisruptionPolicies may not be read'])(
  'a deployment that waits for a policy that is gone, or for those that can be read: %s',
  async (what) => {
    const court = courtroom();
    put(court, { message: `DisruptionPolicy ${what}` });
    expect(await broken(court)).toEqual([forNothing]);
  },
);

test.each([
  ['NewMachineSetAvailable', ['a turn is given back']],
  ['MachineSetUpdated', []],
])('a turn of a deployment with the reason %s', async (reason, rules) => {
  const court = courtroom();
  put(court, { reason });
  const turns = [{ deployment: 'a', uid: 'uid-of-a', since: '' }];
  putPolicy(court, { atATime: { deployments: 1 } }, { turns });
  expect(await broken(court)).toEqual(rules);
});
