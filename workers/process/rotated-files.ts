/**
 * Ends a process when a file changes that it has read at its start, such as a certificate that
 * cert-manager has renewed: Kubernetes starts it again with the new one. Temporal's connection
 * takes its certificates once; of a kubeconfig only the files that it names are read again.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { every, random } from '../../activities/system/system.ts';
import type { Logger } from '../log/logger.ts';
import { reasonOf } from '../log/reason.ts';
import { filesReadOf } from './certificates.ts';
import type { Shutdown } from './shutdown.ts';

/** Watches of files miss how kubelets replace them, by another link. */
const periodMs = 10_000;
/** Not all processes at the same moment; the old certificate is good for much longer. */
const longestWaitMs = 60_000;

export interface RotatedFiles {
  config: Parameters<typeof filesReadOf>[0];
  log: Logger;
  shutdown: Pick<Shutdown, 'signal' | 'begin'>;
}

export function endWhenRotated({ config, log, shutdown }: RotatedFiles): void {
  const files = filesReadOf(config);
  if (files.length === 0) return;
  const digests = new Map(files.map((file) => [file, digestOf(file)]));
  let waitMs = random() * longestWaitMs;
  let changed: string | undefined;
  const timer = every(periodMs, check, { keepsAlive: false });
  shutdown.signal.addEventListener('abort', () => timer.cancel(), { once: true });

  function check(): void {
    changed ??= changedFile();
    if (changed === undefined) return;
    if (waitMs > 0) return void (waitMs -= periodMs);
    shutdown.begin(`${changed} has changed: it is read at the start`);
  }

  function changedFile(): string | undefined {
    try {
      const found = files.find((file) => digestOf(file) !== digests.get(file));
      if (found !== undefined) log.info({ file: found }, 'has changed; ending within a minute');
      return found;
    } catch (error) {
      log.warn({ reason: reasonOf(error) }, 'a file that was read at the start cannot be read');
      return undefined;
    }
  }
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
