/**
 * What a run of Jest shows: a line for each file, and at once what a failed one says. `npm test`
 * hands in a descriptor of its own, because what the tests print themselves goes to a file.
 */
import { writeSync } from 'node:fs';
import { relative } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import { outputVariable } from './output.ts';

/** Of Jest's `TestResult`, what is of interest here. */
interface FileResult {
  numPassingTests: number;
  numFailingTests: number;
  numPendingTests: number;
  perfStats: { runtime: number };
  failureMessage?: string | null;
}

const descriptor = Number(process.env[outputVariable] ?? 1);

export default class LineForEachFile {
  onTestResult({ path }: { path: string }, result: FileResult): void {
    const { numPassingTests, numFailingTests, numPendingTests, perfStats, failureMessage } = result;
    const isWell = numFailingTests === 0 && !failureMessage;
    const counts = [
      `${numPassingTests} passed`,
      ...(numFailingTests > 0 ? [`${numFailingTests} failed`] : []),
      ...(numPendingTests > 0 ? [`${numPendingTests} skipped`] : []),
    ];
    const seconds = (perfStats.runtime / 1_000).toFixed(1);
    const line = `${isWell ? 'ok    ' : 'FAILED'} ${relative(repository, path)} (${counts.join(', ')}, ${seconds} s)`;
    writeSync(descriptor, `${line}\n${isWell ? '' : `${failureMessage ?? ''}\n`}`);
  }

  getLastError(): void {}
}
