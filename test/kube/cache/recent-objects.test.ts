import type { KubeObject } from '../../../kube/client/client.ts';
import { customResource } from '../../../kube/client/paths.ts';
import { RecentObjects } from '../../../kube/cache/recent-objects.ts';
import { aMachineSet, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const path = customResource('machinesets', namespace, 'pool');

function reads({ calls }: InMemoryClient): number {
  return calls.filter((call) => call.startsWith('GET ')).length;
}

async function versionOf(control: InMemoryClient): Promise<string> {
  return (await control.read<KubeObject>(path)).metadata.resourceVersion;
}

test('an object that was read a moment ago is not read again', async () => {
  const control = new InMemoryClient(aMachineSet());
  const recent = new RecentObjects(control);
  const version = await versionOf(control);
  const first = await recent.read(path, version);
  expect(await recent.read(path, version)).toEqual(first);
  expect(reads(control)).toBe(1);
});

test('a reader cannot change what the next one reads', async () => {
  const control = new InMemoryClient(aMachineSet());
  const recent = new RecentObjects(control);
  const version = await versionOf(control);
  const first = await recent.read<KubeObject>(path, version);
  if (first) first.metadata.name = 'changed';
  const second = await recent.read<KubeObject>(path, version);
  if (second) second.metadata.name = 'changed';
  expect((await recent.read<KubeObject>(path, version))?.metadata.name).toBe('pool');
});

test.each([
  { name: 'nothing is known of its version', atLeast: () => undefined },
  { name: 'a later version was seen', atLeast: (version: string) => String(Number(version) + 1) },
])('a recent object is read again when $name', async ({ atLeast }) => {
  const control = new InMemoryClient(aMachineSet());
  const recent = new RecentObjects(control);
  const version = await versionOf(control);
  await recent.read(path, version);
  await recent.read(path, atLeast(version));
  expect(reads(control)).toBe(2);
});

test('the object that a write returns is what is read next', async () => {
  const control = new InMemoryClient(aMachineSet());
  const recent = new RecentObjects(control);
  const version = await versionOf(control);
  await recent.write(path, () => control.patch(path, 'merge', { spec: { replicas: 7 } }));
  expect(await recent.read(path, version)).toMatchObject({ spec: { replicas: 7 } });
  expect(reads(control)).toBe(0);
});

test('a recent object is read again after a write that failed', async () => {
  const control = new InMemoryClient(aMachineSet());
  const recent = new RecentObjects(control);
  const version = await versionOf(control);
  await recent.read(path, version);
  const late = { metadata: { resourceVersion: '1' } };
  await expect(recent.write(path, () => control.patch(path, 'merge', late))).rejects.toThrow(
    'modified',
  );
  await recent.read(path, version);
  expect(reads(control)).toBe(2);
});

test('a recent object that is gone is undefined', async () => {
  const control = new InMemoryClient();
  const recent = new RecentObjects(control);
  expect(await recent.read(path, '1')).toBeUndefined();
  await expect(recent.write(path, () => control.patch(path, 'merge', {}))).resolves.toBeUndefined();
});
