/**
 * Ends a process when a file changes that it has read at its start, such as a certificate that
 * cert-manager has renewed: Kubernetes starts it again with the new one. Temporal's connection
 * takes its certificates once; of a kubeconfig only the files that it names are read again. While
 * no process could start with what the files hold, it goes on: all processes read the same ones.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadKubeConfig } from '../../kube/client/kubeconfig.ts';
import { every, random } from '../../activities/system/system.ts';
import type { Command } from '../config/config.ts';
import type { Logger } from '../log/logger.ts';
import { reasonOf } from '../log/reason.ts';
import { filesReadOf, kubeConfigsOf } from './certificates.ts';
import type { Shutdown } from './shutdown.ts';

/** Watches of files miss how kubelets replace them, by another link. */
const periodMs = 10_000;
/** Not all processes at the same moment; the old certificate is good for much longer. */
const longestWaitMs = 60_000;

export interface RotatedFiles {
  config: Parameters<typeof filesReadOf>[0];
  log: Logger;
  shutdown: Pick<Shutdown, 'signal' | 'begin'>;
  /** Why a process could not start with the files as they are now; undefined: it could. */
  whyUnusable(): string | undefined;
}

export function endWhenRotated({ config, log, shutdown, whyUnusable }: RotatedFiles): void {
  const files = filesReadOf(config);
  if (files.length === 0) return;
  const digests = new Map(files.map((file) => [file, digestOf(file)]));
  let waitMs = random() * longestWaitMs;
  let noted: string | undefined;
  const timer = every(periodMs, check, { keepsAlive: false });
  shutdown.signal.addEventListener('abort', () => timer.cancel(), { once: true });

  function check(): void {
    const changed = changedFile();
    if (changed === undefined) return;
    const fault = whyUnusable();
    note(changed, fault);
    if (fault !== undefined) return;
    if (waitMs > 0) return void (waitMs -= periodMs);
    shutdown.begin(`${changed} has changed: it is read at the start`);
  }

  /** Once, until there is something else to say. */
  function note(file: string, fault: string | undefined): void {
    const said = JSON.stringify([file, fault]);
    if (said === noted) return;
    noted = said;
    if (fault === undefined) log.info({ file }, 'has changed; ending within a minute');
    else {
      const words =
        'has changed, and no process could start so: this one goes on with what it read';
      log.error({ file, reason: fault }, words);
    }
  }

  function changedFile(): string | undefined {
    try {
      return files.find((file) => digestOf(file) !== digests.get(file));
    } catch (error) {
      log.warn({ reason: reasonOf(error) }, 'a file that was read at the start cannot be read');
      return undefined;
    }
  }
}

/** Why a process cannot start; undefined: it can. `read`: its command line, with all files. */
export function faultOfStart(read: () => Command): string | undefined {
  try {
    const command = read();
    if (command.kind !== 'run') return undefined;
    for (const path of kubeConfigsOf(command.config)) loadKubeConfig(path);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
