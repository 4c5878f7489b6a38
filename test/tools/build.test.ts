import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, partsFrom } from '../../tools/build/build.ts';
import { copyDataFiles } from '../../tools/build/data-files.ts';
import { entranceIn } from '../../tools/build/entrances-of-paths.ts';

test('both parts are built unless one is asked for', () => {
  expect(partsFrom([])).toEqual(['image', 'cli']);
  expect(partsFrom(['cli'])).toEqual(['cli']);
  expect(() => partsFrom(['chart'])).toThrow('--only: "chart" is not one of image, cli');
});

test('the thread of the sandbox starts in what was built, or the build fails', () => {
  expect(entranceIn("new URL('lean-thread.ts', import.meta.url)", 'lean-thread')).toBe(
    "new URL('lean-thread.js', import.meta.url)",
  );
  expect(() => entranceIn("new URL('other.ts', import.meta.url)", 'lean-thread')).toThrow(
    "the code no longer names 'lean-thread.ts'",
  );
});

test('a build deletes no sources: --out . would have been the folder of the command', async () => {
  const out = await mkdtemp(join(tmpdir(), 'millwright-out-'));
  const source = join(out, 'cli/millwright.ts');
  await mkdir(join(out, 'cli'));
  await writeFile(source, '');
  await expect(build(['cli'], out)).rejects.toThrow(`--out: ${join(out, 'cli')} would be deleted`);
  expect(existsSync(source)).toBe(true);
});

test('files that code reads while it runs stand beside it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-data-'));
  await copyDataFiles(folder);
  expect((await readdir(folder)).toSorted()).toEqual(['downloads.yaml', 'profiles', 'runbooks']);
  expect(await readdir(join(folder, 'profiles'))).toContain('ubuntu-24.04.yaml');
});
