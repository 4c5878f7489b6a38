import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from './folders.ts';

/** For `millwright runbook`, beside its code. */
export async function copyRunbooks(folder: string): Promise<void> {
  await cp(join(repository, 'docs/runbooks'), join(folder, 'runbooks'), { recursive: true });
}
