/** The options of `npm run simulate`. */
import { parseArgs } from 'node:util';
import type { Setup } from './simulator.ts';
import { nameList, positiveNumber, seedNumber, wholeNumber, type Kinds } from './values.ts';

export function usageOf({ faults, users }: Kinds): string {
  return `Usage: npm run simulate -- [options]

Runs watchers, workers, workflows and their surroundings in one simulated world, where the seed decides what goes wrong and when,
and checks the rules all the time. A seed that breaks one is shrunk to the smallest run that still does.

  --seed N           the first one (default: a new one, which is printed)
  --seeds N          so many, one after the other (default 1; with --minutes: as many as there is time for)
  --machines N       of the world, about (default 10)
  --hours N          simulated, in which something goes wrong; coming to rest is on top (default 6)
  --faults LIST      all (default), none, or some of: ${faults.join(',')}
  --users LIST       all (default), none, or some of: ${users.join(',')}
  --minutes N        of CPU, after which no further seed is started (default: no limit)
  --jobs N           processes side by side, each with seeds of its own (default 1)
  --bail             stop at the first seed that breaks a rule
  --no-shrink        report a seed as it is
  --replay FILE      the run that this file describes, as in test/simulation/seeds and .millwright/simulation
  --defects          put back known defects, one at a time, and see which are found (its options: --defects --help)
  -o, --output json  the result as JSON on standard output; progress goes to standard error
  -h, --help         show this

Exit code 0: no rule was broken; 1: one was; 2: an option is wrong.

Examples:
  npm run simulate -- --seed 7 --machines 50 --hours 24 --faults all
  npm run simulate -- --minutes 60 --jobs 2
  npm run simulate -- --replay .millwright/simulation/seed-7.json

More in docs/internals/simulation.md.`;
}

export interface SimulateCommand {
  /** With the first seed. */
  setup: Setup;
  /** Infinity: until the CPU minutes are used up. */
  seeds: number;
  cpuMinutes: number;
  jobs: number;
  isBailing: boolean;
  isShrinking: boolean;
  /** Path of a file that has the setup. */
  replay: string | undefined;
  output: 'text' | 'json';
}

interface Defaults {
  seed: number;
  kinds: Kinds;
}

const options = {
  seed: { type: 'string' },
  seeds: { type: 'string' },
  machines: { type: 'string', default: '10' },
  hours: { type: 'string', default: '6' },
  faults: { type: 'string', default: 'all' },
  users: { type: 'string', default: 'all' },
  minutes: { type: 'string' },
  jobs: { type: 'string', default: '1' },
  bail: { type: 'boolean', default: false },
  shrink: { type: 'boolean', default: true },
  replay: { type: 'string' },
  output: { type: 'string', short: 'o', default: 'text' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Throws an Error that names the option, its value and what is allowed. */
export function parseArguments(
  args: readonly string[],
  defaults: Defaults,
): SimulateCommand | 'help' {
  const { values } = parseArgs({ args: [...args], options, allowNegative: true });
  if (values.help) return 'help';
  const { kinds } = defaults;
  return {
    setup: {
      seed: seedNumber('--seed', values.seed ?? String(defaults.seed)),
      machines: wholeNumber('--machines', values.machines, 1_000),
      hours: positiveNumber('--hours', values.hours),
      faults: nameList('--faults', values.faults, kinds.faults),
      users: nameList('--users', values.users, kinds.users),
    },
    seeds: seedCount(values),
    cpuMinutes:
      values.minutes === undefined ? Infinity : positiveNumber('--minutes', values.minutes),
    jobs: wholeNumber('--jobs', values.jobs, 64),
    isBailing: values.bail,
    isShrinking: values.shrink,
    replay: replayFile(values),
    output: outputFormat(values.output),
  };
}

type Texts = Partial<Record<'seed' | 'seeds' | 'minutes' | 'replay', string>>;

function seedCount({ seeds, minutes, replay }: Texts): number {
  if (seeds !== undefined) return wholeNumber('--seeds', seeds, 1_000_000_000);
  return minutes === undefined || replay !== undefined ? 1 : Infinity;
}

function replayFile({ seed, seeds, replay }: Texts): string | undefined {
  if (replay !== undefined && (seed ?? seeds) !== undefined)
    throw new Error(`--replay: "${replay}" has its seed in it; leave out --seed and --seeds`);
  return replay;
}

function outputFormat(text: string): 'text' | 'json' {
  if (text === 'text' || text === 'json') return text;
  throw new Error(`--output: "${text}" is neither text nor json`);
}
