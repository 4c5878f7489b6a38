import { dirname, join } from 'node:path';
import { findOnPath, runProgram } from './program.ts';
import { modfileFlag } from './source-edits.ts';
import { SourceUnavailable, versionIn, type Source } from './source.ts';
import { messageOf } from '../failure.ts';

/** A build that takes longer hangs: the longest measured here took under 4 minutes on 2 cores. */
const limitMs = 30 * 60_000;

/**
 * Builds run one after another: each uses all processors, and they share most of what they compile.
 */
let queue: Promise<unknown> = Promise.resolve();
let queued = 0;

/** Builds from the Go modules that `tools/<folder>/go.mod` and `go.sum` pin. */
export const fromModule: Source = async (tool, target, { env, report, log }) => {
  const { module } = tool;
  if (module === undefined) throw new SourceUnavailable('no Go module');
  const go = await findOnPath('go', env['PATH'] ?? '');
  if (go === undefined) throw new SourceUnavailable('Go is not installed');
  await checkVersion(go, module.go);
  const build = async (): Promise<void> => {
    report(`building ${module.package} with Go (takes ${module.takes})`);
    const options = {
      cwd: join(import.meta.dirname, '../tools', module.folder),
      // No toolchain is fetched, and no workspace of the person gets in the way.
      env: { ...env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOWORK: 'off', GOFLAGS: '' },
      limitMs,
      ...(log === undefined ? {} : { log }),
    };
    const { edits, tags } = module;
    const modfile = edits && (await modfileFlag(go, edits, { folder: dirname(target), options }));
    await runProgram(
      go,
      [
        'build',
        '-trimpath',
        '-mod=readonly',
        '-buildvcs=false',
        ...(tags === undefined ? [] : [`-tags=${tags.join(',')}`]),
        ...(modfile === undefined ? [] : [modfile]),
        `-ldflags=${['-s', '-w', ...module.ldflags].join(' ')}`,
        '-o',
        target,
        module.package,
      ],
      options,
    );
  };
  if (queued > 0) report('waiting for its turn to be built with Go');
  queued += 1;
  const turn = queue.then(build, build);
  queue = turn.catch(() => undefined);
  try {
    await turn;
  } catch (error) {
    throw new SourceUnavailable(messageOf(error));
  } finally {
    queued -= 1;
  }
};

async function checkVersion(go: string, needed: string): Promise<void> {
  const printed = await runProgram(go, ['env', 'GOVERSION'], { env: { GOTOOLCHAIN: 'local' } });
  const found = versionIn(`${printed.trim()}.0`);
  if (found === undefined || compareVersions(found, needed) < 0) {
    throw new SourceUnavailable(`Go ${needed} or newer is needed, here is ${printed.trim()}`);
  }
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
