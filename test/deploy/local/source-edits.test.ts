import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modfileFlag } from '../../../deploy/local/binaries/go-build.ts';

const edits = {
  module: 'example.com/module',
  file: 'part/file.go',
  texts: [
    ['old()', 'new($&)'],
    ['import "unused"\n', ''],
  ],
} as const;

/** A `go` that says where the module is, a module as Go keeps it, and a folder that builds it. */
function aBuild(text: string) {
  const root = mkdtempSync(join(tmpdir(), 'millwright edits-'));
  const folderOf = (...parts: string[]): string => {
    const path = join(root, ...parts);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const published = folderOf('published', 'part');
  writeFileSync(join(published, 'file.go'), text, { mode: 0o444 });
  const go = join(root, 'go');
  writeFileSync(go, `#!/bin/sh\necho '{"Dir": "${join(root, 'published')}"}'\n`);
  chmodSync(go, 0o755);
  const cwd = folderOf('tool');
  writeFileSync(join(cwd, 'go.mod'), 'module tool\n');
  writeFileSync(join(cwd, 'go.sum'), 'sums\n');
  return { go, folder: folderOf('build'), options: { cwd }, published };
}

test('a copy of the module is edited, and takes the place of the published one', async () => {
  const text = 'import "unused"\nold()\n';
  const { go, published, ...build } = aBuild(text);
  const modfile = join(build.folder, 'go.mod');
  expect(await modfileFlag(go, edits, build)).toBe(`-modfile=${modfile}`);
  const copy = join(build.folder, 'edited');
  expect(readFileSync(join(copy, 'part/file.go'), 'utf8')).toBe('new($&)\n');
  expect(readFileSync(join(published, 'file.go'), 'utf8')).toBe(text);
  expect(readFileSync(modfile, 'utf8')).toBe(
    `module tool\n\nreplace example.com/module => "${copy}"\n`,
  );
  expect(existsSync(join(build.folder, 'go.sum'))).toBe(true);
});

test.each([
  { count: 0, text: 'import "unused"\n' },
  { count: 2, text: 'import "unused"\nold() old()\n' },
])('a text that stands there $count times stops the build', async ({ count, text }) => {
  const { go, ...build } = aBuild(text);
  await expect(modfileFlag(go, edits, build)).rejects.toThrow(
    `part/file.go has "old()" ${count} times, not once`,
  );
});
