import { relative } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import durations from './durations.json' with { type: 'json' };

const secondsOf: ReadonlyMap<string, number> = new Map(Object.entries(durations));

/**
 * The files that took longest come first, so that none of them is still running when all others are
 * done. `durations.json` holds the seconds of a quiet run; files of less than 6 s are left out, and
 * stay in their order.
 */
export function slowestFirst<File extends { path: string }>(files: readonly File[]): File[] {
  return files.toSorted((a, b) => rankOf(b) - rankOf(a));
}

function rankOf({ path }: { path: string }): number {
  return secondsOf.get(relative(repository, path)) ?? 0;
}
