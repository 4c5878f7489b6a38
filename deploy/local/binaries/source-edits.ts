/** Builds a Go module with fixes that its published version does not have. */
import { copyFile, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram, type ProgramOptions } from './program.ts';
import { SourceUnavailable } from './source.ts';
import type { SourceEdits } from './tools.ts';

export interface EditedBuild {
  /** Folder of the binary that is to be built; the edited copy is kept there until then. */
  folder: string;
  /** `cwd` is the folder of the module that builds it. */
  options: ProgramOptions & { cwd: string };
}

/**
 * Makes a copy of the module with the edits, and a go.mod that takes it in the place of the
 * published one: Go lets no file in its cache be replaced. Returns the flag of `go build`.
 */
export async function modfileFlag(
  go: string,
  { module, file, texts }: SourceEdits,
  { folder, options }: EditedBuild,
): Promise<string> {
  const copy = join(folder, 'edited');
  await cp(await publishedIn(go, module, options), copy, { recursive: true });
  // The cache of Go is read-only, and so is the copy, folders included.
  await runProgram('chmod', ['-R', 'u+w', copy]);
  const path = join(copy, file);
  let text = await readFile(path, 'utf8');
  for (const edit of texts) text = edited(text, edit, file);
  await writeFile(path, text);
  const modfile = join(folder, 'go.mod');
  const pinned = await readFile(join(options.cwd, 'go.mod'), 'utf8');
  // In quotes: a path may have spaces.
  await writeFile(modfile, `${pinned}\nreplace ${module} => ${JSON.stringify(copy)}\n`);
  await copyFile(join(options.cwd, 'go.sum'), join(folder, 'go.sum'));
  return `-modfile=${modfile}`;
}

/** Downloads it where that was not done, checked against go.sum. */
async function publishedIn(go: string, module: string, options: ProgramOptions): Promise<string> {
  const args = ['mod', 'download', '-json', module];
  const answer = await runProgram(go, args, { ...options, errorsApart: true });
  const { Dir }: { Dir: string } = JSON.parse(answer);
  return Dir;
}

function edited(text: string, [before, after]: readonly [string, string], file: string): string {
  const count = text.split(before).length - 1;
  if (count === 1) return text.replace(before, () => after);
  throw new SourceUnavailable(`${file} has ${JSON.stringify(before)} ${count} times, not once`);
}
