/** `millwright plan` reads a change, and says what it would do. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plan } from '../../../cli/plan/plan.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { readArguments } from '../../support/command-line.ts';
import { aMachineClass, aMachineDeployment } from '../../support/builders.ts';

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
