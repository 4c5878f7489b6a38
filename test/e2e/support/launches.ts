/** Watcher and worker as they are delivered, in place of the sources. */
import { execFile, spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { repository } from '../../../deploy/local/layout.ts';
import { startContainer } from '../../support/image/container.ts';
import type { Image } from '../../support/image/image.ts';
import type { Access, Launch, Role } from './operator.ts';
import { testStack } from './test-stack.ts';

const run = promisify(execFile);

/**
 * Makes what is delivered, in a folder below which packages are found. Returns the folder; the test
 * removes it.
 */
export async function build(...only: string[]): Promise<string> {
  await mkdir(join(repository, '.millwright'), { recursive: true });
  const folder = await mkdtemp(join(repository, '.millwright', 'built-'));
  const flags = only.map((part) => `--only=${part}`);
  const script = join(repository, 'tools/build/build.ts');
  await runProgram(process.execPath, [script, `--out=${folder}`, ...flags]);
  return folder;
}

/**
 * The built processes, on the Node that runs the tests.
 *
 * @param folder Where they are, asked at each start.
 */
export function built(folder: () => string): Launch {
  const parentWatch = pathToFileURL(join(repository, 'deploy/local/parent-watch.mjs')).href;
  return ({ role, flags, env, log }) =>
    spawn(
      process.execPath,
      [`--import=${parentWatch}`, join(folder(), 'image', `${role}.js`), ...flags],
      {
        stdio: ['ignore', log, log],
        env: {
          ...process.env,
          ...env,
          MILLWRIGHT_WATCH_PARENT: String(process.pid),
          NODE_OPTIONS: '',
        },
      },
    );
}

/** The command, as a person runs it. Throws with its standard error when it fails. */
export async function saidBy(
  file: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { layout } = testStack();
  const { stdout } = await run(file, [...words, `--kubeconfig=${layout.kubeconfig}`], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  return stdout;
}

/**
 * The image, which is asked for at each start.
 *
 * @param mounted The folder that its processes see.
 */
export function contained(image: () => Image, mounted: string): Launch {
  return ({ role, flags, env, log }) =>
    startContainer(image(), { args: [`${role}.js`, ...flags], env, mounted, log });
}

/** Copies of the kubeconfigs of both roles, which any user can read, in a folder to be mounted. */
export async function readableAccess(folder: string): Promise<Record<Role, Access>> {
  const { layout, virtualCloud } = testStack();
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  const accessOf = async (role: Role): Promise<Access> => {
    await copyFile(layout.kubeconfigOf(`millwright-${role}`), join(folder, role));
    await chmod(join(folder, role), 0o644);
    return { kubeconfig: `/mnt/${role}`, virtualCloud };
  };
  return { watcher: await accessOf('watcher'), worker: await accessOf('worker') };
}
