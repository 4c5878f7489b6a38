import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes a file so that a reader, or a kill in the middle, sees the old content or the new, never a
 * part.
 */
export function writeFileAtomically(file: string, content: string, mode = 0o600): void {
  mkdirSync(dirname(file), { recursive: true });
  const partial = `${file}.partial-${process.pid}`;
  writeFileSync(partial, content, { mode });
  renameSync(partial, file);
}
