import { expect, test } from '@jest/globals';
import {
  deleteBootstrapToken,
  ensureBootstrapToken,
  readBootstrapToken,
  tokenIdOf,
} from '../../activities/bootstrap-token.ts';
import { namespaced } from '../../activities/kube/paths.ts';
import { aSecret } from '../support/builders.ts';
import { MemoryKube } from '../support/memory-kube.ts';
import { lifeOf } from '../support/world.ts';

const machine = lifeOf('pool-a');
const request = { machine, lifetimeSeconds: 1200, authExtraGroups: 'system:bootstrappers:x' };
const pathOf = (id: string): string =>
  namespaced('secrets', 'kube-system', `bootstrap-token-${id}`);

test('the id comes from the UID, and a second call finds the same token', async () => {
  const target = new MemoryKube();
  const id = await ensureBootstrapToken(target, request);
  expect(id).toBe(tokenIdOf(machine.uid, 0));
  const token = await readBootstrapToken(target, id);
  expect(token).toMatch(/^[0-9a-z]{6}\.[0-9a-z]{16}$/);
  expect(await ensureBootstrapToken(target, request)).toBe(id);
  expect(await readBootstrapToken(target, id)).toBe(token);
});

test('it lasts as long as the creation may take, counted anew', async () => {
  const target = new MemoryKube();
  const id = await ensureBootstrapToken(target, { ...request, lifetimeSeconds: 0 });
  await ensureBootstrapToken(target, request);
  const { data } = await target.read<{ data: Record<string, string> }>(pathOf(id));
  const expiration = Buffer.from(data['expiration'] ?? '', 'base64').toString();
  expect(Date.parse(expiration)).toBeGreaterThan(Date.now() + 1_000_000);
});

test('an id that another machine has is passed over, and never deleted', async () => {
  const taken = tokenIdOf(machine.uid, 0);
  const metadata = { name: `bootstrap-token-${taken}`, namespace: 'kube-system' };
  const target = new MemoryKube(aSecret({}, metadata));
  expect(await ensureBootstrapToken(target, request)).toBe(tokenIdOf(machine.uid, 1));
  await deleteBootstrapToken(target, taken, machine);
  expect(target.has(pathOf(taken))).toBe(true);
});

test('ours is deleted, twice if need be', async () => {
  const target = new MemoryKube();
  const id = await ensureBootstrapToken(target, request);
  await deleteBootstrapToken(target, id, machine);
  await deleteBootstrapToken(target, id, machine);
  expect(target.has(pathOf(id))).toBe(false);
});
