/** Programs of others that say whether user data, and what is in it, is right. */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { findOnPath, runProgram } from '../../../deploy/local/binaries/program.ts';
import { preparedDebian } from '../../../deploy/local/prepare/debian.ts';
import { preparedPython } from '../../../deploy/local/prepare/python.ts';
import { unitFolder } from './contents.ts';

/** Undefined: right. Warnings are faults as well. */
export type Verdict = string | undefined;

/** Each text once, however many ask for it. Same order. */
type Judge = (texts: readonly string[]) => Promise<Verdict[]>;

/** Files of one call. */
const atOnce = 50;

export const judges = {
  /** `cloud-init schema --config-file`, in one process for all of them. */
  'cloud-init schema': (texts) => byPython('cloud-init', texts),
  'ignition-validate': (texts) =>
    inFolder(async (folder) => {
      const program = join(await preparedDebian('ignition'), 'usr/bin/ignition-validate');
      return await eachFile(folder, texts, (file) => faultOf(program, [file]));
    }),
  'bash -n': (texts) =>
    inFolder((folder) => eachFile(folder, texts, (file) => faultOf('bash', ['-n', file]))),
  shellcheck: (texts) =>
    inFolder(async (folder) => {
      const program = join(dirname(await preparedPython('user-data')), 'shellcheck');
      const args = ['--shell=bash', '--norc', '--format=gcc'];
      const judge = (files: readonly string[]) => faultOf(program, [...args, ...files]);
      return await eachFile(folder, texts, (file) => judge([file]), judge);
    }),
  toml: (texts) => byPython('toml', texts),
  /**
   * The kubelet reads its configuration before all else, and ends here as it has no kubeconfig. It
   * only logs unknown fields. Whether cgroups of this machine are of version 1 is not the question.
   */
  kubelet: (texts) =>
    inFolder(async (folder) => {
      const kubelet = await preparedBinary('kubelet');
      const lacking = join(folder, 'none');
      const judged = texts.map((text) =>
        text.includes('failCgroupV1') ? text : `${text}failCgroupV1: false\n`,
      );
      return await eachFile(folder, judged, async (file) => {
        const args = [
          `--config=${file}`,
          `--kubeconfig=${lacking}`,
          `--cert-dir=${folder}`,
          '--client-ca-file=',
        ];
        const end = (await faultOf(kubelet, args)) ?? 'the kubelet runs without a kubeconfig';
        return end.includes(`stat ${lacking}`) && !end.includes('strict decoding')
          ? undefined
          : end;
      });
    }),
  /** It logs what it does not know of a version of its configuration. */
  containerd: (texts) =>
    inFolder(async (folder) => {
      const containerd = await preparedBinary('containerd');
      return await eachFile(folder, texts, async (file) => {
        const printed = await printedBy(containerd, ['--config', file, 'config', 'dump']);
        // Of the versions that it reads, its own is the last.
        const said = printed.replace(/^.*Configuration migrated from version [23],.*$/m, '');
        const isFault = /level=(warning|error|fatal)|exit code/.test(said);
        return isFault ? said.slice(0, 1000) : undefined;
      });
    }),
} as const satisfies Record<string, Judge>;

export type JudgeName = keyof typeof judges;

/**
 * `systemd-analyze verify` of the units of machines, each in a root of its own with the units of
 * this system and stand-ins for programs.
 *
 * @param machines Units and their drop-ins by path.
 */
export async function unitVerdicts(
  machines: readonly Readonly<Record<string, string>>[],
  programs: readonly string[],
): Promise<Verdict[]> {
  const analyze = await findOnPath('systemd-analyze', process.env['PATH'] ?? '');
  if (analyze === undefined) {
    throw new Error('systemd-analyze was not found in PATH: run this on a system with systemd');
  }
  return await inFolder(async (folder) => {
    await cp('/usr/lib/systemd/system', join(folder, 'usr/lib/systemd/system'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    for (const path of programs) await writeIn(folder, path, '', 0o755);
    const verdicts: Verdict[] = [];
    for (const units of machines) {
      await rm(join(folder, unitFolder), { recursive: true, force: true });
      for (const [path, text] of Object.entries(units)) await writeIn(folder, path, text);
      const names = new Set(
        Object.keys(units).map((path) => (path.split('/')[4] ?? '').replace(/\.d$/, '')),
      );
      const args = ['verify', '--man=no', `--root=${folder}`, ...names];
      verdicts.push((await printedBy(analyze, args)) || undefined);
    }
    return verdicts;
  });
}

async function writeIn(folder: string, path: string, text: string, mode = 0o644): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text, { mode });
}

async function byPython(kind: string, texts: readonly string[]): Promise<Verdict[]> {
  const python = await preparedPython('user-data');
  const args = [join(import.meta.dirname, 'judge.py'), await preparedDebian('cloud-init')];
  const input = JSON.stringify(texts.map((text) => [kind, text]));
  const answer = await runProgram(python, args, { input, errorsApart: true });
  const verdicts: (string | null)[] = JSON.parse(answer);
  return verdicts.map((verdict) => verdict ?? undefined);
}

async function inFolder<Result>(run: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-judge-'));
  try {
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * One after the other: other tests run beside.
 *
 * @param judgeAll Of a program that takes several files: only where it finds a fault in some of them,
 * each is judged.
 */
async function eachFile(
  folder: string,
  texts: readonly string[],
  judge: (file: string) => Promise<Verdict>,
  judgeAll?: (files: readonly string[]) => Promise<Verdict>,
): Promise<Verdict[]> {
  const files = texts.map((_text, index) => join(folder, `document-${index}`));
  for (const [index, text] of texts.entries()) await writeFile(files[index] ?? '', text);
  const verdicts: Verdict[] = [];
  for (let start = 0; start < files.length; start += atOnce) {
    const some = files.slice(start, start + atOnce);
    const areRight = judgeAll !== undefined && (await judgeAll(some)) === undefined;
    for (const file of some) verdicts.push(areRight ? undefined : await judge(file));
  }
  return verdicts;
}

async function faultOf(program: string, args: readonly string[]): Promise<Verdict> {
  return (await printedBy(program, args)) || undefined;
}

/** All that it prints; where it fails, with its exit code. */
async function printedBy(program: string, args: readonly string[]): Promise<string> {
  const script = '"$@" || echo "exit code $?"';
  return (await runProgram('bash', ['-c', script, 'bash', program, ...args])).trim();
}
