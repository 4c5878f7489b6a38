import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { layoutOf } from './layout.ts';
import type { StackOptions } from './options.ts';
import { makeFolder } from './room.ts';
import { stackEnvironment } from './stack-environment.ts';
import type { StarterMessage, SupervisorMessage } from './supervision/messages.ts';

/** The supervisor as its starter sees it. */
export interface Supervisor {
  process: ChildProcess;
  send: (message: StarterMessage) => void;
  /** Resolves with its exit code, or undefined when a signal killed it. */
  ended: Promise<number | undefined>;
}

/**
 * Starts the supervisor in a session of its own: Ctrl-C then reaches only the starter, which asks
 * for an orderly end, and the guardian can kill the whole group.
 */
export function launchSupervisor(
  options: StackOptions,
  onMessage: (message: SupervisorMessage) => void,
): Supervisor {
  const layout = layoutOf(options.stateDir);
  makeFolder(layout.logs);
  const log = openSync(layout.logOf('supervisor'), 'a');
  const entrance = join(import.meta.dirname, 'supervisor.ts');
  const resolved = { ...options, stateDir: layout.stateDir };
  const child = spawn(process.execPath, [entrance, JSON.stringify(resolved)], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
    env: stackEnvironment(options, process.env),
  });
  closeSync(log);
  child.on('message', onMessage);
  const ended = new Promise<number | undefined>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? undefined));
  });
  return {
    process: child,
    send: (message) => {
      if (child.connected) child.send(message, () => undefined);
    },
    ended,
  };
}
