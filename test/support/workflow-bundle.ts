/**
 * The workflow bundle of all tests. It is made once for each state of the sources and kept in
 * `.millwright/test-bundles`, because bundling takes each test file two seconds of CPU.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DefaultLogger } from '@temporalio/worker';
import { bundleWorkflows } from '../../workers/temporal/bundle-workflows.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, '.millwright', 'test-bundles');
const longestKeptMs = 24 * 3_600_000;

export async function bundleForTests(): Promise<{ codePath: string }> {
  const codePath = join(folder, `${await digestOfSources()}.js`);
  if (!existsSync(codePath)) await writeBundle(codePath);
  return { codePath };
}

/** Of all that the bundle is made of: our workflows, and the locked packages. */
async function digestOfSources(): Promise<string> {
  const names = await readdir(join(root, 'workflows'), { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts')).map((name) => join('workflows', name));
  const paths = ['package-lock.json', 'workers/temporal/bundle-workflows.ts', ...files.toSorted()];
  const texts = await Promise.all(paths.map((path) => readFile(join(root, path), 'utf8')));
  return hash('sha1', JSON.stringify([paths, texts]));
}

/** Written whole or not at all: two test files may do it at once. */
async function writeBundle(file: string): Promise<void> {
  const { code } = await bundleWorkflows({ logger: new DefaultLogger('ERROR') });
  await mkdir(folder, { recursive: true });
  await writeFile(`${file}.${process.pid}`, code);
  await rename(`${file}.${process.pid}`, file);
  for (const name of await readdir(folder)) await removeIfOld(join(folder, name));
}

/** Another test file may have removed it already. */
async function removeIfOld(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found && Date.now() - found.mtimeMs > longestKeptMs) await rm(file, { force: true });
}
