/** `npm run simulate -- --defects`: does the simulator find known defects? */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { repository } from '../../../deploy/local/layout.ts';
import { Copy } from '../../mutants/copy.ts';
import { DefectSearch, type SearchOptions, type Verdict } from './defect-search.ts';
import { withVerdicts } from './defect-table.ts';
import { chosenDefects, readDefects, type Defect } from './defects.ts';
import { positiveNumber, seedNumber, wholeNumber } from './values.ts';

const page = join(repository, 'docs/internals/simulation.md');
/** Of the defects, so many have to be found. */
const leastShare = 0.9;

const usage = `Usage: npm run simulate -- --defects [options]

Puts known defects back, one at a time and in a copy of the repository, and runs seeds until one of them breaks a rule that it
does not break without the defect. Writes the table in docs/internals/simulation.md.

  --only ID,ID   only these; the others keep their rows
  --minutes N    of CPU for each defect (default 10)
  --jobs N       defects side by side (default 1)
  --seed N       the first one for each defect (default 1)
  --machines N   of a world (default 8)
  --hours N      simulated (default 2)
  --no-write     leave the table as it is
  -h, --help     show this

Exit code 0: nine in ten were found; 1: fewer; 2: an option is wrong, or a defect cannot be put back.

Example: npm run simulate -- --defects --only M7,S3 --minutes 2`;

interface DefectsCommand extends SearchOptions {
  defects: readonly Defect[];
  jobs: number;
  isWriting: boolean;
}

/** Returns the exit code. */
export async function defectsMain(args: readonly string[]): Promise<number> {
  try {
    const command = parse(args);
    if (command === 'help') {
      console.log(usage);
      return 0;
    }
    return await run(command);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 2;
  }
}

function parse(args: readonly string[]): DefectsCommand | 'help' {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      only: { type: 'string' },
      minutes: { type: 'string', default: '10' },
      jobs: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
      // Many short worlds meet more than a few long ones: the seed decides what a world is like.
      machines: { type: 'string', default: '8' },
      hours: { type: 'string', default: '2' },
      write: { type: 'boolean', default: true },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    defects: chosenDefects(readDefects(), values.only),
    minutes: positiveNumber('--minutes', values.minutes),
    jobs: wholeNumber('--jobs', values.jobs, 64),
    seed: seedNumber('--seed', values.seed),
    machines: wholeNumber('--machines', values.machines, 1_000),
    hours: positiveNumber('--hours', values.hours),
    isWriting: values.write,
  };
}

async function run(command: DefectsCommand): Promise<number> {
  const { defects, jobs, isWriting } = command;
  const left = defects.values();
  const verdicts: Verdict[] = [];
  async function job(): Promise<void> {
    await using copy = await Copy.make();
    const search = new DefectSearch(copy, command);
    for (const defect of left) {
      const verdict = await verdictOn(search, defect);
      if (!verdict) continue;
      verdicts.push(verdict);
      // At once: the whole takes hours.
      if (isWriting) await writeTable(verdicts);
    }
  }
  await Promise.all(Array.from({ length: Math.min(jobs, defects.length) }, job));
  if (isWriting) await writeTable(verdicts);
  const found = verdicts.filter(({ rule }) => rule !== undefined).length;
  console.log(`\n${found} of ${defects.length} were found`);
  if (verdicts.length < defects.length) return 2;
  return found >= leastShare * defects.length ? 0 : 1;
}

/** Undefined: the defect cannot be put back, or runs with it have no result. */
async function verdictOn(search: DefectSearch, defect: Defect): Promise<Verdict | undefined> {
  try {
    const verdict = await search.find(defect);
    console.log(lineOf(verdict));
    return verdict;
  } catch (error) {
    console.error(`${defect.id}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function lineOf({ id, title, rule, text, seed, cpuSeconds }: Verdict): string {
  const how = rule === undefined ? 'not found' : `found by "${rule}" with seed ${seed}`;
  const end = text === undefined ? '' : `\n  ${text}`;
  return `${id} ${how} after ${cpuSeconds.toFixed(0)} CPU seconds: ${title}${end}`;
}

async function writeTable(verdicts: readonly Verdict[]): Promise<void> {
  const text = withVerdicts(readFileSync(page, 'utf8'), verdicts, readDefects());
  const formatted = await format(text, { ...(await resolveConfig(page)), filepath: page });
  writeFileSync(page, formatted);
}
