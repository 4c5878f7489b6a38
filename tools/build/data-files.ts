/** Files that code reads while it runs, beside the code. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from './folders.ts';

/** For `millwright runbook`, and for the user data of machines. */
const sources = ['docs/runbooks', 'userdata/profiles', 'userdata/downloads.yaml'];

export async function copyDataFiles(folder: string): Promise<void> {
  for (const source of sources) {
    const name = source.replace(/^.*\//, '');
    await cp(join(repository, source), join(folder, name), { recursive: true });
  }
}
