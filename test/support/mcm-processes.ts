/**
 * The two processes of the real MCM v0.62.1: its machine controller has a driver for the virtual
 * cloud (deploy/local/tools/mcm).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { preparedBinary } from '../../deploy/local/binaries/acquire.ts';
import { startGuardian } from '../../deploy/local/supervision/guardian.ts';

export interface McmOptions {
  kubeconfig: string;
  /** URL. */
  virtualCloud: string;
  /** Gets `mcm-0.log` and `mcm-1.log`. */
  logFolder: string;
  /** Flags of its manager and of its machine controller. */
  flags: readonly [manager: readonly string[], machineController: readonly string[]];
}

/** The manager, and the machine controller. */
export const mcmPrograms = ['mcm', 'mcm-machine-controller'] as const;

/** The manager first. Each ends with this process, however that goes. */
export async function spawnMcm(options: McmOptions): Promise<ChildProcess[]> {
  const files = await Promise.all(mcmPrograms.map((name) => preparedBinary(name)));
  return await Promise.all(files.map(async (file, index) => await spawnOne(file, index, options)));
}

async function spawnOne(file: string, index: number, options: McmOptions): Promise<ChildProcess> {
  const { kubeconfig, virtualCloud, logFolder, flags } = options;
  const log = openSync(join(logFolder, `mcm-${index}.log`), 'a');
  const args = [
    ...(flags[index] ?? []),
    `--control-kubeconfig=${kubeconfig}`,
    `--target-kubeconfig=${kubeconfig}`,
    `--port=${await freePort()}`,
    '--address=127.0.0.1',
    '--v=3',
  ];
  const env = { ...process.env, MILLWRIGHT_VIRTUAL_CLOUD: virtualCloud };
  // A process group of its own for the guardian.
  const child = spawn(file, args, { detached: true, stdio: ['ignore', log, log], env });
  closeSync(log);
  if (child.pid === undefined) throw new Error(`cannot run ${file}`);
  startGuardian(child.pid);
  return child;
}

/** Returns when all have ended. */
export async function endMcm(processes: readonly ChildProcess[]): Promise<void> {
  const ending = processes.map(async (child) => {
    if (!isRunning(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
  await Promise.all(ending);
}

export const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port was given');
  return address.port;
}
