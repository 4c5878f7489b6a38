/** Folders that cannot be written, and full disks, by the commands that meet them. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../../../deploy/local/layout.ts';
import { makeFolder, requireRoom, stateOf } from '../../../deploy/local/room.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millwright-room-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a folder with room is made, with those above it', () => {
  const path = join(folder, 'a', 'b');
  requireRoom(stateOf(path), 0);
  makeFolder(path);
  expect(existsSync(path)).toBe(true);
});

test('a disk that is too full is named, with what is needed', () => {
  expect(() => requireRoom(stateOf(folder), 2 ** 40)).toThrow(
    /^\S+: no space left: its disk has \d+ MiB free, and the state of the stack needs 1099511627776 MiB: free some, or name another folder with --state-dir$/,
  );
});

/** No folder can be made below them; below the second, Node's recursive `mkdir` never returns. */
const unusable = ['/dev/null', ...(process.platform === 'linux' ? ['/proc/none'] : [])];

function said(script: string, args: string[], env: NodeJS.ProcessEnv): string {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [join(repository, script), ...args],
    { encoding: 'utf8', env: { ...process.env, ...env } },
  );
  return `${stdout}${stderr}ended with ${status}`;
}

test.each(unusable)('a stack in %s is refused in one line', (path) => {
  const state = join(path, 'state');
  const lines = said('deploy/local/start.ts', ['--state-dir', state], {}).split('\n');
  expect(lines).toEqual([
    expect.stringMatching(
      /^\/\S+: the state of the stack cannot be kept there \(E.*\): make it writable, or name another folder with --state-dir$/,
    ),
    'ended with 1',
  ]);
});

test.each(unusable)('of programs to get into %s one line is said', (path) => {
  const env = { XDG_CACHE_HOME: path, PATH: folder };
  const lines = said('deploy/local/start.ts', ['--state-dir', folder], env).split('\n');
  const cannot = `${path}/millwright: what is fetched and built cannot be kept there (`;
  expect(lines).toEqual([expect.stringContaining(cannot), 'ended with 1']);
  expect(lines[0]).toMatch(/: make it writable, or set XDG_CACHE_HOME to another folder$/);
});
