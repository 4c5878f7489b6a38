import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { prune } from '../../tools/image/prune-modules.ts';
import { contentsOf } from '../support/image/contents.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millwright-prune-'));
});
afterEach(() => rm(folder, { recursive: true }));

const bridge = '@temporalio/core-bridge/releases';

test.each([
  { architecture: 'x64', own: 'x86_64-unknown-linux-gnu', other: 'aarch64-unknown-linux-gnu' },
  { architecture: 'arm64', own: 'aarch64-unknown-linux-gnu', other: 'x86_64-unknown-linux-gnu' },
] as const)('the native part for $architecture stays', async ({ architecture, own, other }) => {
  await fill([`${bridge}/${own}/index.node`, `${bridge}/${other}/index.node`]);
  await prune(folder, architecture);
  expect(await left()).toEqual([`${bridge}/${own}/index.node`]);
});

test('code, data and licenses stay, also in packages that lie in others', async () => {
  const kept = [
    'a/index.js',
    'a/index.mjs',
    'a/package.json',
    'a/LICENSE.md',
    'a/NOTICE.md',
    'a/node_modules/b/lib/data.json',
    '@azure/identity/dist/esm/index.js',
    '@azure/identity/dist/commonjs/index.js',
    '@google-cloud/compute/build/protos/protos.json',
  ];
  const gone = [
    'a/index.d.ts',
    'a/index.d.cts',
    'a/index.js.map',
    'a/README.md',
    'a/node_modules/b/src/b.ts',
    'a/node_modules/@azure/core/dist/browser/index.js',
    '@azure/arm-network/dist/commonjs/index.js',
    '@azure/msal-browser/lib/index.js',
    '@google-cloud/compute/build/protos/protos.js',
    '.bin/b',
  ];
  await fill([...kept, ...gone]);
  await prune(folder, 'x64');
  expect(await left()).toEqual(kept.toSorted());
});

async function fill(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), '');
  }
}

async function left(): Promise<string[]> {
  const { files } = await contentsOf(folder);
  return files.toSorted();
}
