import { join } from 'node:path';
import { copyFile, cp, readFile, writeFile } from 'node:fs/promises';
import type { ProgramOptions } from './program.ts';
import { findOnPath, runProgram } from './program.ts';
import type { AcquireWorld } from './source.ts';
import { SourceUnavailable, versionIn } from './source.ts';
import type { GoModule, Tool, SourceEdits } from './tools.ts';
import { messageOf } from '../failure.ts';

/** The same for all builds, so that they share what is compiled. */
const goEnvironment = {
  CGO_ENABLED: '0',
  // No toolchain is fetched, and no workspace of the person gets in the way.
  GOTOOLCHAIN: 'local',
  GOWORK: 'off',
  GOFLAGS: '',
  // The compiler's processes are short: most end before collecting pays.
  GOGC: '400',
};

/** Each build uses all processors. */
const inTurn = longestFirst(1);

/**
 * Builds programs of one of the modules that `tools/<folder>/go.mod` and `go.sum` pin in one call,
 * below the folder. Returns their paths.
 */
export async function buildWithGo(
  group: readonly Tool[],
  folder: string,
  { env, report }: AcquireWorld,
): Promise<string[]> {
  const modules = group.map(({ module }) => module).filter((module) => module !== undefined);
  const [module] = modules;
  if (module === undefined) throw new SourceUnavailable('no Go module');
  const go = await findOnPath('go', env['PATH'] ?? '');
  if (go === undefined) throw new SourceUnavailable('Go is not installed');
  const proxy = await checkGo(go, module.go);
  const packages = modules.map((one) => one.package);
  const target = join(folder, 'built');
  const names = group.map(({ name }) => name).join(', ');
  const options = {
    cwd: join(import.meta.dirname, '../tools', module.folder),
    env: { ...env, ...goEnvironment },
    limitMs: 0,
    endsWithUs: true,
  };
  try {
    report(`downloading modules of ${names} from ${proxy}`);
    const flags = await flagsOf(go, module, { folder, options });
    // Fetches what they import, and no more, while another build has the processors.
    await runProgram(go, ['list', '-deps', ...flags, ...packages], options);
    report('waiting for its turn to be built with Go');
    await inTurn(module.minutes, async () => {
      report(
        `building ${names} with Go from ${proxy} (takes ${module.minutes} min on two quiet processors)`,
      );
      await runProgram(go, ['build', ...flags, '-o', `${target}/`, ...packages], options);
    });
  } catch (error) {
    throw new SourceUnavailable(messageOf(error));
  }
  return packages.map((path) => join(target, executableName(path)));
}

async function flagsOf(
  go: string,
  { edits, tags, ldflags }: GoModule,
  build: EditedBuild,
): Promise<string[]> {
  return [
    '-trimpath',
    '-mod=readonly',
    '-buildvcs=false',
    // No debugger reads these programs.
    '-gcflags=all=-dwarf=false',
    `-ldflags=${['-s', '-w', ...ldflags].join(' ')}`,
    ...(tags === undefined ? [] : [`-tags=${tags.join(',')}`]),
    ...(edits === undefined ? [] : [await modfileFlag(go, edits, build)]),
  ];
}

/** Go names a program after the last part of its package, without a major version of a module. */
export function executableName(path: string): string {
  return path.replace(/\/v\d+$/, '').replace(/^.*\//, '');
}

/** Returns where its modules come from. */
async function checkGo(go: string, needed: string): Promise<string> {
  const env = { GOTOOLCHAIN: 'local' };
  const printed = await runProgram(go, ['env', 'GOVERSION', 'GOPROXY'], { env, limitMs: 0 });
  const [version = '', proxies = ''] = printed.split('\n');
  const found = versionIn(`${version}.0`);
  if (found === undefined || compareVersions(found, needed) < 0) {
    throw new SourceUnavailable(`Go ${needed} or newer is needed, here is ${version}`);
  }
  const [first = ''] = proxies.split(/[,|]/);
  // Its address may hold a password.
  return URL.canParse(first) ? new URL(first).host : first;
}

/** Negative when `a` is older than `b`; missing parts count as 0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  for (let part = 0; part < 3; part += 1) {
    const difference = (left?.[part] ?? 0) - (right?.[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Lets so many run at a time; of those that wait, the longest goes first, so that it ends not last.
 */
export function longestFirst(
  places: number,
): <Result>(minutes: number, run: () => Promise<Result>) => Promise<Result> {
  const waiting: { minutes: number; start: () => void }[] = [];
  let running = 0;
  const startNext = (): void => {
    if (running >= places) return;
    waiting.sort((a, b) => b.minutes - a.minutes);
    const next = waiting.shift();
    if (next === undefined) return;
    running += 1;
    next.start();
  };
  return async (minutes, run) => {
    await new Promise<void>((resolve) => {
      waiting.push({ minutes, start: resolve });
      // Those that come in the same moment are compared before the first starts.
      setImmediate(startNext);
    });
    try {
      return await run();
    } finally {
      running -= 1;
      startNext();
    }
  };
}

interface EditedBuild {
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
