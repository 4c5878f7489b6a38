import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { delimiter, dirname, join } from 'node:path';
import { repository } from '../../../deploy/local/layout.ts';

/** A clone whose dependencies are there, and an `npm` that only says that it was called. */
function aClone(): string {
  const root = mkdtempSync(join(tmpdir(), 'millwright bootstrap-'));
  for (const folder of ['deploy/local', 'node_modules/.bin', '.millwright', 'bin'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const name of ['bootstrap.mjs', 'parent-watch.mjs'])
    copyFileSync(join(repository, 'deploy/local', name), join(root, 'deploy/local', name));
  copyFileSync(join(repository, 'package.json'), join(root, 'package.json'));
  symlinkSync(process.execPath, join(root, 'node_modules/.bin/node'));
  writeFileSync(join(root, 'package-lock.json'), '{}');
  writeFileSync(join(root, 'node_modules/.package-lock.json'), '{}');
  writeFileSync(join(root, 'script.ts'), "console.log('the script runs');\n");
  writeFileSync(join(root, 'bin/npm'), '#!/bin/sh\necho "npm $1"\n');
  chmodSync(join(root, 'bin/npm'), 0o755);
  return root;
}

/** Starts it as npm would. */
function startIn(root: string): ChildProcessByStdio<null, Readable, null> {
  const path = [join(root, 'bin'), dirname(process.execPath), process.env['PATH']];
  const { npm_lifecycle_event: _ofOurs, ...env } = process.env;
  return spawn(process.execPath, [join(root, 'deploy/local/bootstrap.mjs'), 'script.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...env, PATH: path.join(delimiter) },
  });
}

const printedBy = (child: { stdout: Readable }): Promise<string> => text(child.stdout);

test.each([
  { what: 'whose pid is another process by now', marker: `${process.pid} 1` },
  { what: 'of which only a pid is known, which another process has', marker: `${process.pid}` },
  { what: 'whose marker a full disk left empty', marker: '' },
])('an installation that was cut off, $what, is made again', async ({ marker }) => {
  const root = aClone();
  writeFileSync(join(root, '.millwright/installing'), marker);
  const printed = await printedBy(startIn(root));
  expect(printed).toContain('Installing npm dependencies (the last installation was cut off)');
  expect(printed).toContain('npm ci\n');
  expect(printed).toContain('the script runs');
  expect(printed).not.toContain('Waiting for process');
  expect(existsSync(join(root, '.millwright/installing'))).toBe(false);
});

test('dependencies that are there are not installed again', async () => {
  expect(await printedBy(startIn(aClone()))).toBe('the script runs\n');
});

test('an installation that is under way is waited for', async () => {
  const root = aClone();
  const installer = spawn('sleep', ['3600'], { stdio: 'ignore' });
  const watch = join(root, 'deploy/local/parent-watch.mjs');
  const script = `import { identityOf } from ${JSON.stringify(watch)}; console.log(identityOf(${installer.pid}));`;
  const identity = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  writeFileSync(join(root, '.millwright/installing'), identity.stdout.trim());
  const waiting = startIn(root);
  const printed = printedBy(waiting);
  const [first] = await once(waiting.stdout, 'data');
  expect(String(first)).toContain(`Waiting for process ${installer.pid}, which installs`);
  installer.kill();
  // It was cut off.
  expect(await printed).toContain('npm ci\n');
});

test.each([
  { where: 'in a fresh clone' },
  { where: 'after a third that was killed', left: '1 long ago' },
])('of two that start at once $where one installs', async ({ left }) => {
  const root = aClone();
  if (left !== undefined) writeFileSync(join(root, '.millwright/installing'), left);
  const installed = join(root, 'node_modules/.package-lock.json');
  rmSync(installed);
  writeFileSync(join(root, 'bin/npm'), `#!/bin/sh\necho "npm $1"\nsleep 1\n: > '${installed}'\n`);
  const printed = await Promise.all([startIn(root), startIn(root)].map(printedBy));
  expect(printed.join('').split('npm ci\n')).toHaveLength(2);
  expect(printed.join('').split('the script runs')).toHaveLength(3);
});
