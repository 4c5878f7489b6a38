/**
 * `npm run build`: makes `dist/image`, what the container image runs, and `dist/cli`, the npm
 * package of the command. docs/decisions/0041-build-and-image.md says how the pieces fit.
 * `--only image` or `--only cli` makes one of them, `--out FOLDER` makes them elsewhere.
 */
import { globSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildCommand } from './command.ts';
import { parts, repository, type PartOfBuild } from './folders.ts';
import { buildProcesses } from './processes.ts';

const builders: Readonly<Record<PartOfBuild, (folder: string) => Promise<void>>> = {
  image: buildProcesses,
  cli: buildCommand,
};

/** Throws when a part does not exist. */
export function partsFrom(only: readonly string[]): readonly PartOfBuild[] {
  const unknown = only.find((name) => !parts.some((part) => part === name));
  if (unknown !== undefined)
    throw new Error(`--only: "${unknown}" is not one of ${parts.join(', ')}`);
  return only.length === 0 ? parts : parts.filter((part) => only.includes(part));
}

/**
 * Anew, so that nothing of an older build is left. Each part gets its folder in `out`. Throws when
 * one of them holds sources, as `cli` of the repository does.
 */
export async function build(wanted: readonly PartOfBuild[], out: string): Promise<void> {
  for (const folder of wanted.map((part) => join(out, part))) {
    if (globSync('*.ts', { cwd: folder }).length === 0) continue;
    throw new Error(`--out: ${folder} would be deleted, and holds sources: name another folder`);
  }
  for (const part of wanted) {
    const folder = join(out, part);
    await rm(folder, { recursive: true, force: true });
    await builders[part](folder);
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [] },
      out: { type: 'string', default: join(repository, 'dist') },
    },
  });
  const wanted = partsFrom(values.only);
  await build(wanted, resolve(values.out));
  console.log(wanted.map((part) => `built ${join(values.out, part)}`).join('\n'));
}
