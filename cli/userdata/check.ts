import { checkUserData } from '../../userdata/check/check.ts';
import type { Checked } from '../../userdata/check/checked.ts';
import type { Answer } from '../command-line/answer.ts';
import type { OutputOptions } from '../command-line/options.ts';
import { bytesIn } from './input.ts';

export interface CheckOptions extends OutputOptions {
  file: string;
}

/** Exit code 1: there is a fault. */
export async function check({ file }: CheckOptions): Promise<Answer> {
  const checked = checkUserData(await bytesIn(file));
  const { faults } = checked;
  return {
    text: textOf(file, checked),
    data: { file, isValid: faults.length === 0, ...checked },
    exitCode: faults.length === 0 ? 0 : 1,
  };
}

function textOf(file: string, { kind, faults, warnings }: Checked): string {
  const all = [
    ...faults,
    ...warnings.map(({ line, sentence }) => ({ line, sentence: `warning: ${sentence}` })),
  ].toSorted((a, b) => a.line - b.line);
  const count = `${faults.length} fault${faults.length === 1 ? '' : 's'}`;
  return [
    ...all.map(({ line, sentence }) => `${file}:${line}: ${sentence}`),
    `${file}: ${kind}: ${faults.length === 0 ? 'no fault' : count}`,
  ].join('\n');
}
