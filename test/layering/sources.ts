import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Paths of the TypeScript files in folders of the repository, such as `watcher/index.ts`. */
export function sourcesIn(folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  );
}

export function readSource(file: string): string {
  return readFileSync(`${root}${file}`, 'utf8');
}
