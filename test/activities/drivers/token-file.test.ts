/** Which files a Secret may have a worker send to a cloud. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isTokenFile, ownTokenDirectory } from '../../../activities/drivers/token-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
const shared = join(folder, 'tokens');
const own = join(shared, 'shoot-a');
const env = { MILLWRIGHT_TOKEN_DIRECTORY: shared };

beforeAll(() => {
  for (const path of [own, join(shared, 'shoot-b'), join(own, '..data-1')]) {
    mkdirSync(path, { recursive: true });
  }
  writeFileSync(join(folder, 'kubeconfig'), 'secret');
  writeFileSync(join(shared, 'shoot-b', 'token'), 'b');
  writeFileSync(join(own, '..data-1', 'token'), 'a');
  // As the kubelet mounts it.
  symlinkSync(join(own, '..data-1'), join(own, '..data'));
  symlinkSync(join(own, '..data', 'token'), join(own, 'token'));
  symlinkSync(join(folder, 'kubeconfig'), join(own, 'link'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a worker uses the folder of its namespace where there is one, and no other', () => {
  const directory = ownTokenDirectory(env, 'shoot-a');
  expect(directory).toBe(own);
  const ours = { MILLWRIGHT_TOKEN_DIRECTORY: directory };
  expect(isTokenFile(join(own, 'token'), ours)).toBe(true);
  expect(isTokenFile(join(shared, 'shoot-b', 'token'), ours)).toBe(false);
  expect(isTokenFile(join(own, '..', 'shoot-b', 'token'), ours)).toBe(false);
});

test('without one it uses the folder that all share', () => {
  expect(ownTokenDirectory(env, 'shoot-c')).toBe(shared);
});

test.each([
  ['a link that leads out of the folder', join(own, 'link'), false],
  ['the folder itself', shared, false],
  ['a file beside it', join(folder, 'kubeconfig'), false],
  ['a relative path', 'token', false],
  ['a link within it, as the kubelet makes them', join(own, 'token'), true],
  ['a file that is not there yet', join(own, 'later'), true],
])('%s: %s', (_what, file, expected) => {
  expect(isTokenFile(file, env)).toBe(expected);
});
