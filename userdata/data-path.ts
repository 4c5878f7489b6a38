/** Files of this room that are read when they are needed: `profiles`, `downloads.yaml`. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Beside what was built; else in the repository. */
export function dataPath(name: string): string {
  const built = fileURLToPath(new URL(name, import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL(`../userdata/${name}`, import.meta.url));
}
