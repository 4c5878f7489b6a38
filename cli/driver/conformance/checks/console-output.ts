/** Checks the console output: a driver need not give any, but what it gives must be fit to keep. */
import { Buffer } from 'node:buffer';
import type { ConsoleOutput } from '../../../../workflows/contracts/driver-contract.ts';
import { longestConsoleBytes } from '../../../../workflows/values/console-output.ts';
import type { Input } from '../driver-under-test.ts';
import type { Trial } from '../trial.ts';
import { instanceOf } from '../trial.ts';
import { expectPart, Mismatch, Skipped } from '../verdict.ts';
import type { Check } from './check.ts';

/** Codes for the credentials or the class: the driver cannot help those. */
const notToBeHad = ['PermissionDenied', 'FailedPrecondition'];

export const consoleChecks: Check[] = [
  {
    says: 'the console of an instance, if it is offered, is a short text without control characters',
    async run(trial) {
      const providerID = instanceOf(trial.first);
      const came = await askConsole(trial, { ...trial.first.request, providerID });
      if (came.outcome === 'read') return expectFit(came.text);
      const { code, message } = came.failure;
      if (notToBeHad.includes(code)) throw new Skipped(`${code}: ${message}`);
      throw new Mismatch('outcome read', came);
    },
  },
  {
    says: 'the console of an instance that does not exist is NotFound',
    async run(trial) {
      const came = await askConsole(trial, trial.newMachine().request);
      expectPart('failed with NotFound', came, {
        outcome: 'failed',
        failure: { code: 'NotFound' },
      });
    },
  },
];

async function askConsole(
  { driver }: Trial,
  request: Input<'getConsoleOutput'>,
): Promise<ConsoleOutput> {
  const came = await driver.askIfServed('getConsoleOutput', request);
  const isOffered = came && !(came.outcome === 'failed' && came.failure.code === 'Unimplemented');
  if (isOffered) return came;
  throw new Skipped('the driver does not offer it, and need not');
}

function expectFit(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > longestConsoleBytes) {
    throw new Mismatch(`at most ${longestConsoleBytes} bytes`, `${bytes} bytes`);
  }
  // oxlint-disable-next-line no-control-regex
  const [control] = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/.exec(text) ?? [];
  if (control !== undefined) throw new Mismatch('tabs and line feeds only', { control });
}
