/** The command `millwright` as an npm package. */
import { chmod, copyFile, writeFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DefaultLogger } from '@temporalio/worker';
import { bundleKit } from '../../cli/driver/conformance/temporal.ts';
import { bundle } from './bundle.ts';
import { failureConverter } from './entrances-of-paths.ts';
import type { Manifest } from './folders.ts';
import { manifest, repository } from './folders.ts';
import { copyDataFiles } from './data-files.ts';

/** Packages that `driver verify` needs beside this one; all else does without. */
const peers = ['@temporalio/worker'] as const;
/** The client is in the package: `explain` is of use at night without another install. */
const bundledSdk = ['client', 'common', 'envconfig', 'proto'].map((name) => `@temporalio/${name}`);
const entrance = 'millwright.js';
const completion = 'kubectl-complete.js';

export async function buildCommand(folder: string): Promise<void> {
  const packages = await bundle({
    folder,
    input: {
      millwright: 'cli/millwright.ts',
      'kubectl-complete': 'cli/kubectl-complete.ts',
      'failure-converter': failureConverter,
    },
    isExternal: isOutside,
    target: 'node20',
    // The undici of the processes does not load on Node 20.
    alias: { undici: 'undici-7' },
  });
  for (const program of [entrance, completion]) await chmod(join(folder, program), 0o755);
  const { code } = await bundleKit(new DefaultLogger('WARN'));
  await writeFile(join(folder, 'kit-workflow-bundle.js'), code);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packageJson(), null, 2)}\n`);
  await writeFile(join(folder, 'NOTICE'), await noticeOf(packages));
  await copyDataFiles(folder);
  await copyFile(join(repository, 'LICENSE'), join(folder, 'LICENSE'));
  await copyFile(join(repository, 'cli', 'README.md'), join(folder, 'README.md'));
}

function isOutside(id: string): boolean {
  const isOfSdk = id.startsWith('@temporalio/');
  return isOfSdk && !bundledSdk.some((name) => id === name || id.startsWith(`${name}/`));
}

/** Without dependencies: in an emergency, `npx millwright stop` fetches one small package. */
function packageJson(): object {
  const { name, version, description, license, engines, dependencies } = manifest;
  return {
    name,
    version,
    description: `The command of Millwright. ${description}`,
    license,
    type: 'module',
    engines,
    // kubectl takes the second for its plugin `kubectl millwright`, and completes it by the third.
    bin: {
      millwright: entrance,
      'kubectl-millwright': entrance,
      'kubectl_complete-millwright': completion,
    },
    peerDependencies: Object.fromEntries(peers.map((id) => [id, dependencies[id]])),
    peerDependenciesMeta: Object.fromEntries(peers.map((id) => [id, { optional: true }])),
  };
}

/** They say their license in package.json only, and their repositories have no text of it. */
const withoutText = new Set(['@bomb.sh/tab']);

/** https://spdx.org/licenses/MIT.html */
const mit = (holder: string): string => `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const heading = `Millwright
Copyright 2026 The Millwright authors
Apache License 2.0, in the file LICENSE.

This package contains the code of the packages below, under these licenses.
`;

/**
 * Notice that the licenses of bundled packages ask for: their names and texts go with the copy.
 *
 * @param folders Of the packages. Throws when one of them has no license text.
 */
async function noticeOf(folders: readonly string[]): Promise<string> {
  const sections = await Promise.all(folders.map(sectionOf));
  return [heading, ...sections].join(`\n${'-'.repeat(80)}\n\n`);
}

async function sectionOf(folder: string): Promise<string> {
  const {
    name,
    version,
    license,
    author = '',
  }: Manifest & { author?: string } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const title = `${name} ${version}: ${license}`;
  if (withoutText.has(name) && license === 'MIT') return `${title}\n\n${mit(author)}\n`;
  const files = (await readdir(folder)).filter((file) => /^(?:licen[cs]e|notice)/i.test(file));
  if (files.length === 0) throw new Error(`${name} ${version} has no file with its license`);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return `${title}\n\n${texts.map((text) => text.trim()).join('\n\n')}\n`;
}
