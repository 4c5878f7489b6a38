/** Watcher and worker as they are delivered, in place of the sources. */
import { spawn } from 'node:child_process';
import { chmod, copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from '../../../deploy/local/layout.ts';
import { startContainer } from '../../support/image/container.ts';
import type { Image } from '../../support/image/image.ts';
import type { Access, Launch, Role } from './operator.ts';
import { testStack } from './test-stack.ts';

/** What `npm run build` made, on the Node that runs the tests. */
export const built: Launch = ({ role, flags, env, log }) => {
  const parentWatch = pathToFileURL(join(repository, 'deploy/local/parent-watch.mjs')).href;
  const entrance = join(repository, 'dist/image', `${role}.js`);
  return spawn(process.execPath, [`--import=${parentWatch}`, entrance, ...flags], {
    stdio: ['ignore', log, log],
    env: { ...process.env, ...env, MILLWRIGHT_WATCH_PARENT: String(process.pid), NODE_OPTIONS: '' },
  });
};

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
