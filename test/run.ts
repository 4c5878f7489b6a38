/**
 * `npm test`, `npm run test:e2e` and `npm run test:all`: checks, unit tests, the e2e tests on a
 * stack of their own, simulation, and chaos.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { temporalKindFrom } from '../deploy/local/options.ts';
import { chaos } from './run/chaos.ts';
import { checks } from './run/checks.ts';
import { endToEnd, endToEndFiles } from './run/end-to-end.ts';
import { Report } from './run/report.ts';
import { simulation } from './run/simulation.ts';
import { runsOn } from './run/temporal-kinds.ts';
import { prepareAll, prepareTests } from './run/prepare.ts';
import { projects, testFilesOf } from './run/test-files.ts';
import { leftOut, runsIn, tiers, type Tier } from './run/tiers.ts';
import { jest } from './run/jest.ts';
import { nightVariable } from './e2e/support/test-stack.ts';
import { positiveNumber } from './simulation/run/values.ts';
import { seedVariable, testSeed } from './support/seed.ts';

const parts = ['check', 'unit', 'e2e', 'simulation', 'chaos'] as const;
type Part = (typeof parts)[number];
const partsOf: Readonly<Record<Tier, readonly Part[]>> = {
  test: ['check', 'unit', 'e2e'],
  e2e: ['unit', 'e2e'],
  all: parts,
};

const usage = `Usage: npm test -- [options]

Runs format, lint and types beside the unit tests, then the end-to-end tests on a local stack of their own
in .millwright/test, which is stopped at the end, also after a failure. It ends at once when format, lint or types fail, unless
only the unit tests are left.
A file in which a test failed runs once more; a test that passes then is reported as unsteady.

There are three tiers, and each says at its end what it did not run (test/run/tiers.ts):
  npm test            checks, unit tests, and the end-to-end tests that walk each promise once: minutes
  npm run test:e2e    all other end-to-end tests too, and the unit tests that take longest: before something is called done
  npm run test:all    everything: also the slowest end-to-end tests (test/run/nightly.ts), an hour of fresh seeds in
                      the simulator, and a short run of chaos, on a stack in .millwright/test-chaos

  --only PART       check, unit, e2e, simulation or chaos; may be given more than once
  --pattern TEXT    only test files whose path matches this regular expression; leaves out checks, simulation and chaos
  --temporal KIND   Temporal server of the end-to-end tests: development (default), or postgresql, a production
                    server on the PostgreSQL of this machine
  --tier TIER       test (default), e2e or all. all has random seeds, which are printed (${seedVariable}=N draws
                    the same again), two workers and two watchers in each scenario that allows it, the most
                    important end-to-end tests once more on PostgreSQL, and fails for a test that is unsteady
  --simulation-minutes N
                    of CPU for fresh seeds in the simulator (default 60)
  --help            show this

Examples:
  npm test
  npm test -- --only unit
  npm test -- --only e2e --pattern drain
  npm test -- --only e2e --pattern drain --temporal=postgresql`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    pattern: { type: 'string' },
    tier: { type: 'string', default: 'test' },
    temporal: { type: 'string' },
    'simulation-minutes': { type: 'string', default: '60' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const temporal = orEnd(() => temporalKindFrom(values.temporal));
const tier = tierFrom(values.tier);
const isNight = tier === 'all';
if (values.help) console.log(usage);
else process.exitCode = await run(await withTests(partsWanted(values.only)), values.pattern);

function tierFrom(name: string): Tier {
  const found = tiers.find((one) => one === name);
  if (found !== undefined) return found;
  console.error(`--tier: "${name}" is not one of ${tiers.join(', ')}`);
  process.exit(2);
}

function partsWanted(only: readonly string[]): readonly Part[] {
  const isAny = only.length === 0;
  if (isAny && values.pattern !== undefined) return ['unit', 'e2e'];
  if (isAny) return partsOf[tier];
  const unknown = only.find((name) => !parts.some((part) => part === name));
  if (unknown === undefined) return parts.filter((part) => only.includes(part));
  console.error(`--only: "${unknown}" is not one of ${parts.join(', ')}`);
  process.exit(2);
}

/** A pattern that matches nothing is a typing error, and no success. */
async function withTests(wanted: readonly Part[]): Promise<readonly Part[]> {
  const { pattern } = values;
  if (pattern === undefined) return wanted;
  const matching: Part[] = [];
  for (const project of projects) {
    const found = wanted.includes(project) ? await testFilesOf(project, pattern) : [];
    const files = project === 'e2e' ? found.filter((path) => runsOn(path, temporal)) : found;
    if (files.length > 0) matching.push(project);
  }
  if (matching.length > 0) return matching;
  const files = `no test file of ${wanted.join(' or ')} matches "${pattern}"`;
  const where = wanted.includes('e2e') ? ` (--temporal=${temporal})` : '';
  console.error(`--pattern: ${files}${where}`);
  process.exit(2);
}

/**
 * Of the child processes too. Undefined: each test has one of its own, which is always the same.
 */
function chosenSeed(): number | undefined {
  const given = process.env[seedVariable] ?? '';
  if (!isNight && given === '') return undefined;
  const seed = given === '' ? String(randomInt(2 ** 31)) : given;
  process.env[seedVariable] = seed;
  if (isNight) process.env[nightVariable] = 'true';
  console.log(`Seed of this run: ${seedVariable}=${seed} draws the same again.`);
  return testSeed();
}

/** Checked before the hour that comes first. */
function simulationMinutes(): number {
  return orEnd(() => positiveNumber('--simulation-minutes', values['simulation-minutes']));
}

function orEnd<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(2);
  }
}

async function run(wanted: readonly Part[], pattern: string | undefined): Promise<number> {
  const cpuMinutes = simulationMinutes();
  const report = new Report({ isStrict: isNight });
  const seed = chosenSeed();
  if (!(await report.step('prepare', () => prepareWhat(wanted, pattern)))) return report.finish();
  const end = new AbortController();
  const goesOn = checkOr(end, report, wanted);
  if (wanted.includes('unit')) {
    const files = await unitFiles(pattern);
    const { signal } = end;
    await report.step('unit tests', () => jest({ project: 'unit', files, signal }));
  }
  if (!(await goesOn)) return report.finish();
  if (wanted.includes('e2e')) await allEndToEnd(report, pattern);
  if (wanted.includes('simulation'))
    await report.step('simulation', () => simulation({ seed, cpuMinutes }));
  if (wanted.includes('chaos')) await report.step('chaos', () => chaos(seed));
  await tellLeftOut(wanted, pattern);
  return report.finish();
}

/** A pattern runs what it names in any tier. */
async function unitFiles(pattern: string | undefined): Promise<string[]> {
  const found = await testFilesOf('unit', pattern);
  return pattern === undefined ? found.filter((path) => runsIn(path, tier)) : found;
}

async function tellLeftOut(wanted: readonly Part[], pattern: string | undefined): Promise<void> {
  if (pattern !== undefined) return;
  const files = await Promise.all(
    projects.filter((project) => wanted.includes(project)).map((project) => testFilesOf(project)),
  );
  const left = leftOut(files.flat(), tier);
  if (left.length > 0) console.log(['\nNot run, and what runs it:', ...left].join('\n  '));
}

/** The simulator and the checks need nothing, and chaos sees to it itself. */
async function prepareWhat(wanted: readonly Part[], pattern: string | undefined): Promise<void> {
  if (isNight && pattern === undefined) return await prepareAll();
  const chosen = { pattern, tier, temporal };
  const files = [
    ...(wanted.includes('unit') ? await unitFiles(pattern) : []),
    ...(wanted.includes('e2e') ? await endToEndFiles(chosen) : []),
  ];
  await prepareTests(files, temporal);
}

async function allEndToEnd(report: Report, pattern: string | undefined): Promise<void> {
  const chosen = { pattern, tier };
  await endToEnd(report, { ...chosen, temporal });
  if (!isNight || temporal === 'postgresql' || pattern !== undefined) return;
  await endToEnd(report, { ...chosen, temporal: 'postgresql', isOnlyForPostgresql: true });
}

/**
 * Returns whether the run goes on. Ten minutes of tests would hide what is wrong; the unit tests
 * alone take a minute or two.
 */
async function checkOr(
  end: AbortController,
  report: Report,
  wanted: readonly Part[],
): Promise<boolean> {
  const isWell = !wanted.includes('check') || (await report.step('format, lint and types', checks));
  const isLong = wanted.some((part) => part !== 'check' && part !== 'unit');
  if (isWell || !isLong) return true;
  end.abort(new Error('ended, as format, lint or types fail'));
  return false;
}
