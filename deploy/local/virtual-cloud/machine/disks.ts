/**
 * Disks of machines that join by their user data, from the create until they have joined. What is
 * on one is secret, so it stands in files of its own and not in the journal, which people read.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../../atomic-file.ts';
import { hasCode } from '../../failure.ts';

const names = ['user-data', 'kubelet-client.key', 'kubelet-client.crt'] as const;

export class Disks {
  readonly #folder: string;

  /** `dataDir`: folder of the cloud's records. */
  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'disks');
  }

  write(id: string, name: (typeof names)[number], content: string): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileAtomically(join(this.#folder, id, name), content);
  }

  /** Undefined: it is not there. */
  read(id: string, name: (typeof names)[number]): string | undefined {
    try {
      return readFileSync(join(this.#folder, id, name), 'utf8');
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  erase(id: string): void {
    rmSync(join(this.#folder, id), { recursive: true, force: true });
  }

  /** A process that was killed leaves disks of machines that it was about to make, or to record. */
  eraseAllBut(isWanted: (id: string) => boolean): void {
    if (!existsSync(this.#folder)) return;
    for (const id of readdirSync(this.#folder)) if (!isWanted(id)) this.erase(id);
  }
}
