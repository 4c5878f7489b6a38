/** `millwright plan` reads a change, and says what it would do. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patched } from '../../../cli/plan/patched.ts';
import { plan } from '../../../cli/plan/plan.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { readArguments } from '../../support/command-line.ts';
import type { DisruptionPolicySpec } from '../../../workflows/api/disruption-policy.ts';
import { disruptionPolicy } from '../../../kube/client/paths.ts';
import {
  aDisruptionPolicy,
  aMachine,
  aMachineClass,
  aMachineDeployment,
  aMachineSet,
  aTemplate,
  controlledBy,
} from '../../support/builders.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plan-'));
});
afterAll(() => rm(folder, { recursive: true }));

const aPlace = () => ({
  kube: new InMemoryClient(aMachineDeployment({ spec: { replicas: 0 } }), aMachineClass()),
  namespace: 'shoot',
});

test('a file changes what it names; the rest stays', async () => {
  const file = join(folder, 'pool.yaml');
  writeFileSync(
    file,
    `kind: MachineDeployment
metadata: {name: workers}
spec: {replicas: 2}
`,
  );
  const place = aPlace();
  const { text, exitCode } = await plan(place, { change: { file } });
  expect(text).toContain('machines: 2 created, 0 deleted; at most 2 at a time');
  expect(text).toContain('a creation 3m0s (a default');
  expect(exitCode).toBe(0);
  expect(place.kube.writes()).toEqual([]);
});

test('a change that would be refused, or lacks its class, says so', async () => {
  const refused = await plan(aPlace(), { change: { name: 'workers', replicas: -1 } });
  expect(refused.text).toContain('refused, and nothing is touched: spec.replicas');
  expect(refused.exitCode).toBe(1);
  const unknown = await plan(aPlace(), { change: { name: 'workers', replicas: 1, class: 'none' } });
  expect(unknown.text).toContain('MachineClass none does not exist');
  expect(unknown.exitCode).toBe(1);
});

test('a file without a MachineDeployment, or of another namespace, is refused', async () => {
  const file = join(folder, 'other.yaml');
  writeFileSync(file, 'kind: Secret\n');
  await expect(plan(aPlace(), { change: { file } })).rejects.toThrow('has no MachineDeployment');
  writeFileSync(file, 'kind: MachineDeployment\nmetadata: {name: a, namespace: b}\nspec: {}\n');
  await expect(plan(aPlace(), { change: { file } })).rejects.toThrow('say --namespace b');
});

test.each([
  ['a key twice', '{replicas: 2, replicas: 20}', 'Map keys must be unique'],
  ['a line that is indented too far', '\n  replicas: 2\n   paused: true', 'Nested mappings'],
])('a file with %s is refused, as its rest says something else', async (_what, spec, message) => {
  const file = join(folder, 'broken.yaml');
  writeFileSync(file, `kind: MachineDeployment\nmetadata: {name: workers}\nspec: ${spec}\n`);
  const planned = plan(aPlace(), { change: { file } });
  await expect(planned).rejects.toThrow(`broken.yaml cannot be read: ${message}`);
});

test.each([
  [['mcd/pool', '--replicas=5'], { change: { name: 'pool', replicas: 5 } }],
  [['-f', 'a.yaml'], { change: { file: 'a.yaml' } }],
])('millwright plan %j is read', (words, expected) => {
  expect(readArguments(['plan', ...words])).toMatchObject(expected);
});

test.each([
  [['mcd/pool'], 'nothing is to change'],
  [['mcd/pool', '-f', 'a.yaml'], 'goes with no other change'],
  [['--replicas=5'], 'An object is missing'],
])('millwright plan %j is refused', (words, message) => {
  expect(() => readArguments(['plan', ...words])).toThrow(message);
});

const template = (pool: string, name: string) =>
  aTemplate({ metadata: { labels: { pool } }, spec: { class: { kind: 'MachineClass', name } } });

/** One machine of a class, in a deployment that is to have those of another. */
function aPool(name: string, [present, wanted]: [string, string]) {
  const selector = { matchLabels: { pool: name } };
  const rollingUpdate = { maxSurge: 0, maxUnavailable: 1 };
  const spec = {
    replicas: 1,
    selector,
    strategy: { type: 'RollingUpdate' as const, rollingUpdate },
  };
  const deployment = aMachineDeployment({
    metadata: { name, uid: `uid-${name}` },
    spec: { ...spec, template: template(name, wanted) },
  });
  const ofSet = { name: `${name}-1`, uid: `uid-${name}-1` };
  const set = aMachineSet({
    metadata: { ...ofSet, ownerReferences: controlledBy(deployment) },
    spec: { replicas: 1, selector, template: template(name, present) },
    status: { replicas: 1 },
  });
  const own = { name: `${name}-1-a`, labels: { pool: name }, ownerReferences: controlledBy(set) };
  return [deployment, set, aMachine({ metadata: own, phase: 'Running' })];
}

test('machines that are updated in place are said to stay', async () => {
  const [deployment = {}, ...others] = aPool('workers', ['small', 'small']);
  const inPlaceUpdate = { maxSurge: 0, maxUnavailable: 1, orchestrationType: 'Auto' };
  const strategy = { type: 'InPlaceUpdate', rollingUpdate: null, inPlaceUpdate };
  const text = await planned(patched(deployment, { spec: { strategy } }), ...others);
  expect(text).toContain('drains 1 machine of workers-1 for the update: workers-1-a');
  expect(text).toContain('+12m0s      1 machine of workers-1 updated in place');
  expect(text).toContain('machines: 0 created, 0 deleted, 1 updated in place; at most 1 at a time');
  expect(text).toContain('a drain 2m0s (a default), an update in place 10m0s (a default');
  expect(text).not.toContain('it ends so');
});

const aPolicy = (spec: DisruptionPolicySpec) =>
  aDisruptionPolicy({ metadata: { name: 'db' }, spec });

const planned = async (...objects: object[]): Promise<string> => {
  const classes = ['small', 'large'].map((name) => aMachineClass({ metadata: { name } }));
  const kube = new InMemoryClient(...objects, ...classes);
  const change = { name: 'workers', class: 'large' };
  return (await plan({ kube, namespace: 'shoot' }, { change })).text;
};
describe('under a DisruptionPolicy', () => {
  const workers = aPool('workers', ['small', 'small']);

  test('a rollout goes through its windows', async () => {
    const windows = [{ schedule: '0 2 * * *', duration: '1h', timeZone: 'Europe/Berlin' }];
    const clock = fakeClock({ now: Date.parse('2026-11-28T12:00:00Z'), toFake: ['Date'] });
    const text = await planned(...workers, aPolicy({ windows })).finally(() => clock.uninstall());
    expect(text).toContain('DisruptionPolicy db: waits for its window, Sun 2026-11-29 02:00 CET');
    expect(text).toContain('machines: 1 created, 1 deleted');
    expect(text).not.toContain('it ends so');
  });

  test('a rollout stops where only a person goes on', async () => {
    const text = await planned(...workers, aPolicy({ atATime: { machines: 0 } }));
    expect(text).toContain('nothing changes: DisruptionPolicy db: atATime.machines is 0');
  });

  test('a rollout stops for the turn of another deployment', async () => {
    const other = aPool('first', ['small', 'large']);
    const text = await planned(...workers, ...other, aPolicy({ atATime: { deployments: 1 } }));
    expect(text).toContain('at most 1 deployment rolls at a time: first first');
  });

  test('machines of others that are on their way are there by then', async () => {
    const [deployment, set, machine] = aPool('other', ['small', 'small']);
    const going = { ...machine, status: { currentStatus: { phase: 'Terminating' } } };
    const policy = aPolicy({ atATime: { machines: 1 } });
    const text = await planned(...workers, deployment ?? {}, set ?? {}, going, policy);
    expect(text).toContain('1 of at most 1 machine on their way: other-1-a');
    expect(text).toContain('machines: 1 created, 1 deleted');
  });

  test('policies that may not be read are named', async () => {
    const kube = new InMemoryClient(...workers, aMachineClass());
    kube.fault = ({ path }) =>
      path === disruptionPolicy('shoot') ? { code: 403, reason: 'Forbidden' } : undefined;
    const { text } = await plan(
      { kube, namespace: 'shoot' },
      { change: { name: 'workers', replicas: 2 } },
    );
    expect(text).toContain('DisruptionPolicies: you may not read them');
  });
});
