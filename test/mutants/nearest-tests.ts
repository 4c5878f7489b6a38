/** The unit tests that reach a source most directly. */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import { testFilesOf } from '../run/test-files.ts';
import { drawnFolders, sourcesIn } from './random.ts';

const limit = 8;

/** Who imports a file, for all files that lie in the mutated folders or in `test`. */
export type Importers = ReadonlyMap<string, readonly string[]>;

export async function readImporters(): Promise<Importers> {
  const importers = new Map<string, string[]>();
  for (const file of [...drawnFolders, 'workers', 'test'].flatMap(sourcesIn)) {
    const source = await readFile(join(repository, file), 'utf8');
    // An import of types alone runs nothing.
    for (const [, path] of source.matchAll(
      /^(?:import|export|\}) (?!type ).*?from '(\.[^']+)'/gm,
    )) {
      const imported = join(dirname(file), path ?? '');
      importers.set(imported, [...(importers.get(imported) ?? []), file]);
    }
  }
  return importers;
}

/** The test of its name, those of its folder that import it, by way of the fewest files, others. */
export async function nearestTests(file: string, importers: Importers): Promise<string[]> {
  const paths = (await testFilesOf('unit')).map((path) => relative(repository, path));
  const distances = distancesFrom(file, importers);
  const folder = join('test', dirname(file));
  const name = `${basename(file, '.ts')}.test.ts`;
  const rank = (path: string): number => {
    if (path === join(folder, name)) return 0;
    const isNear = dirname(path) === folder;
    return 2 * (distances.get(path) ?? Number.POSITIVE_INFINITY) - (isNear ? 1 : 0);
  };
  return paths
    .filter((path) => Number.isFinite(rank(path)) && !path.startsWith('test/simulation/'))
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, limit);
}

function distancesFrom(file: string, importers: Importers): ReadonlyMap<string, number> {
  const distances = new Map([[file, 0]]);
  for (const [imported, distance] of distances) {
    for (const importer of importers.get(imported) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  return distances;
}
