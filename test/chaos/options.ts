import { parseArgs } from 'node:util';
import type { ChaosOptions } from './chaos.ts';

export const usage = `Usage: npm run chaos -- [options]

Scales, rolls, drains and deletes machines on a stack of its own while it kills worker, watcher, Temporal and the API server with
kill -9, cancels, terminates and resets workflows, spoils calls to the virtual cloud, lets VMs vanish and kubelets lie, has a policy take
labels off new Machines and a tenant write the largest objects it may. At each quiet point it checks that nothing was lost or doubled.

  --minutes N          time in which something is done; quiet points come on top (default 5)
  --seed N             what is done, and when: the same for the same seed (default: a new one)
  --state-dir DIR      of the stack, with its logs (default .millwright/chaos)
  --settle-seconds N   how long everything may take to come to rest (default 300)
  --help               show this

Example: npm run chaos -- --minutes 30 --seed 7

More in docs/reliability.md.`;

export type ChaosCommand = { help: true } | { help: false; options: ChaosOptions };

interface Defaults {
  seed: number;
  stateDir: string;
}

/** Throws an Error that names the fault. */
export function parseChaosArguments(args: readonly string[], defaults: Defaults): ChaosCommand {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '5' },
      seed: { type: 'string', default: String(defaults.seed) },
      'state-dir': { type: 'string', default: defaults.stateDir },
      'settle-seconds': { type: 'string', default: '300' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return { help: true };
  return {
    help: false,
    options: {
      stateDir: values['state-dir'],
      seed: wholeNumber('--seed', values.seed),
      minutes: positiveNumber('--minutes', values.minutes),
      settleSeconds: positiveNumber('--settle-seconds', values['settle-seconds']),
    },
  };
}

/** What to type to do the same again. */
export function commandOf({ seed, minutes, stateDir, settleSeconds }: ChaosOptions): string {
  return `npm run chaos -- --minutes ${minutes} --seed ${seed} --settle-seconds ${settleSeconds} --state-dir ${stateDir}`;
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new Error(`${name}: "${text}" is not a whole number of at most 10 digits`);
}

function positiveNumber(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new Error(`${name}: "${text}" is not a number above 0`);
}
