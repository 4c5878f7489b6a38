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

export const judges = {
  /** `cloud-init schema --config-file`, in one process for all of them. */
  'cloud-init schema': (texts) => byPython('cloud-init', texts),
  'ignition-validate': (texts) =>
    withFiles(texts, async (files) => {
      const program = join(await preparedDebian('ignition'), 'usr/bin/ignition-validate');
      return await each(files, (file) => faultOf(program, [file]));
    }),
  'bash -n': (texts) =>
    withFiles(texts, (files) => each(files, (file) => faultOf('bash', ['-n', file]))),
  shellcheck: (texts) =>
    withFiles(texts, async (files) => {
      const program = join(dirname(await preparedPython('user-data')), 'shellcheck');
      const args = ['--shell=bash', '--norc', '--format=gcc'];
      return await each(files, (...some) => faultOf(program, [...args, ...some]), 50);
    }),
  toml: (texts) => byPython('toml', texts),
  /**
   * The kubelet reads its configuration before all else, and ends here as it has no kubeconfig. It
   * only logs unknown fields. Whether cgroups of this machine are of version 1 is not the question.
   */
  kubelet: (texts) => {
    const judged = texts.map((text) =>
      text.includes('failCgroupV1') ? text : `${text}failCgroupV1: false\n`,
    );
    return withFiles(judged, async (files, folder) => {
      const kubelet = await preparedBinary('kubelet');
      const lacking = join(folder, 'none');
      return await each(files, async (file) => {
        const end = await printedBy(kubelet, [
          `--config=${file}`,
          `--kubeconfig=${lacking}`,
          `--cert-dir=${folder}`,
          '--client-ca-file=',
        ]);
        const isRight = end.includes(`stat ${lacking}`) && !end.includes('strict decoding');
        return isRight ? undefined : end;
      });
    });
  },
  /** It logs what it does not know of a version of its configuration. */
  containerd: (texts) =>
    withFiles(texts, async (files) => {
      const containerd = await preparedBinary('containerd');
      return await each(files, async (file) => {
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
 * `systemd-analyze verify` of the units of machines, each beside the units of this system, with
 * stand-ins for programs.
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
    for (const path of programs) await cp('/bin/true', join(folder, path), { dereference: true });
    // Of images that bring their own; a machine's goes before it.
    const brought = '[Service]\nExecStart=/bin/bash\n';
    await writeIn(folder, 'usr/lib/systemd/system/containerd.service', brought);
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

async function writeIn(folder: string, path: string, text: string): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
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

async function withFiles<Result>(
  texts: readonly string[],
  run: (files: readonly string[], folder: string) => Promise<Result>,
): Promise<Result> {
  return await inFolder(async (folder) => {
    const files = texts.map((_text, index) => join(folder, `document-${index}`));
    for (const [index, file] of files.entries()) await writeFile(file, texts[index] ?? '');
    return await run(files, folder);
  });
}

/**
 * One after the other: other tests run beside.
 *
 * @param atOnce Files of one call. Where a fault is in some of them, each is judged alone.
 */
async function each(
  files: readonly string[],
  judge: (...some: string[]) => Promise<Verdict>,
  atOnce = 1,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (let start = 0; start < files.length; start += atOnce) {
    const some = files.slice(start, start + atOnce);
    const areRight = atOnce > 1 && (await judge(...some)) === undefined;
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
