/** Mutants by chance: the same ones for a seed and a source. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import { randomFrom } from '../support/seeded-random.ts';
import { sitesOf, type Site } from './sites.ts';

export type DrawnMutant = { id: string; breaks: string; file: string; from: string; to: string };

export interface Draw {
  count: number;
  seed: number;
  /** Of these folders. */
  folders: readonly string[];
}

export const drawnFolders = ['workflows', 'kube', 'activities', 'watcher', 'cli'];

export function drawMutants({ count, seed, folders }: Draw): DrawnMutant[] {
  const random = randomFrom(seed);
  return folders
    .flatMap(sourcesIn)
    .flatMap(mutantsOf)
    .map((mutant) => ({ mutant, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ mutant }, index) => Object.assign(mutant, { id: `${seed}-${index + 1}` }));
}

export function sourcesIn(folder: string): string[] {
  return readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .toSorted();
}

function mutantsOf(file: string): DrawnMutant[] {
  const source = readFileSync(join(repository, file), 'utf8');
  return sitesOf(source).flatMap((site) => {
    const around = onlyOnce(source, site);
    if (around === undefined) return [];
    const from = source.slice(around.start, around.end);
    const to =
      source.slice(around.start, site.start) + site.to + source.slice(site.end, around.end);
    return from === to ? [] : [{ id: '', breaks: site.breaks, file, from, to }];
  });
}

/** The lines of the site, and as many before them as it takes to find them again. */
function onlyOnce(source: string, site: Site): { start: number; end: number } | undefined {
  const end = lineEnd(source, site.end);
  let start = source.lastIndexOf('\n', site.start - 1) + 1;
  while (source.split(source.slice(start, end)).length !== 2) {
    if (start === 0) return undefined;
    start = source.lastIndexOf('\n', start - 2) + 1;
  }
  return { start, end };
}

function lineEnd(source: string, from: number): number {
  const end = source.indexOf('\n', from);
  return end === -1 ? source.length : end;
}
