/** Runs a seed. Where it breaks a rule, shrinks it, and writes down how it came to that. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Violation } from '../engine/simulation.ts';
import { wordsOf } from './command.ts';
import { CpuClock } from './cpu-clock.ts';
import { fullReportOf, reportOf, type Reported } from './report.ts';
import type { Failure, SeedResult } from './seed-result.ts';
import { shrink, type Attempt, type Shrunk } from './shrink.ts';
import { outcomeOf, type Outcome, type Setup, type Simulator } from './simulator.ts';

export interface SeedRunOptions {
  isShrinking: boolean;
  /** Where failures are written. */
  folder: string;
  /** Told what goes on. */
  say(what: string): void;
}

const triesMost = 120;
/** Of the run that failed; most tries are far shorter. */
const eventsMostTimes = 20;
/** A run that fails at its very beginning is worth more tries than its few events allow. */
const eventsMostAtLeast = 5_000_000;

export async function runSeed(
  simulator: Simulator,
  setup: Setup,
  options: SeedRunOptions,
): Promise<SeedResult> {
  const clock = new CpuClock();
  const outcome = await outcomeOf(simulator, setup);
  const { lives, events, simulatedMs, violations, timeline } = outcome;
  const cpuSeconds = clock.seconds;
  const [violation] = violations;
  const failure = violation && (await failureOf(simulator, { setup, outcome, violation }, options));
  return {
    setup,
    lives,
    events,
    simulatedMs,
    fingerprint: timeline.fingerprint,
    cpuSeconds,
    shrinkCpuSeconds: clock.seconds - cpuSeconds,
    violations: violations.length,
    failure,
  };
}

interface Broken {
  setup: Setup;
  outcome: Outcome;
  violation: Violation;
}

async function failureOf(
  simulator: Simulator,
  broken: Broken,
  options: SeedRunOptions,
): Promise<Failure> {
  const shrunk = options.isShrinking
    ? await shrunkOf(simulator, broken, options)
    : { ...broken, tries: 0 };
  const { setup } = shrunk;
  const path = join(options.folder, `seed-${setup.seed}`);
  const reported: Reported = {
    ...(await lastRun(simulator, broken, shrunk)),
    original: broken.setup,
    setup,
    tries: shrunk.tries,
    kinds: { faults: simulator.faultNames, users: simulator.userNames },
    file: `${path}.txt`,
  };
  return write(reported, path);
}

function shrunkOf(
  simulator: Simulator,
  { setup, outcome, violation }: Broken,
  { say }: SeedRunOptions,
): Promise<Shrunk> {
  const { rule } = violation;
  let tries = 0;
  return shrink(
    { setup, violation },
    {
      attempt: (smaller) => attempt(simulator, smaller, rule),
      triesMost,
      eventsMost: Math.max(outcome.events * eventsMostTimes, eventsMostAtLeast),
      onTry: (smaller) => {
        tries += 1;
        say(`seed ${setup.seed} broke "${rule}"; try ${tries} to shrink it: ${wordsOf(smaller)}`);
      },
    },
  );
}

async function attempt(simulator: Simulator, setup: Setup, rule: string): Promise<Attempt> {
  const { violations, events } = await outcomeOf(simulator, setup);
  return { violation: violations.find((one) => one.rule === rule), events };
}

/** Has the timeline of the smallest setup, and checks that it always ends so. */
async function lastRun(
  simulator: Simulator,
  { outcome }: Broken,
  { setup, violation }: Shrunk,
): Promise<Pick<Reported, 'timeline' | 'violation'>> {
  const { rule, text, at } = violation;
  const again = await outcomeOf(simulator, setup);
  const isSame = again.violations.some((one) => one.rule === rule && one.at === at);
  if (isSame) return { timeline: again.timeline, violation };
  const warning = 'The same run again did not break it: something in it is not by seed.';
  return { timeline: outcome.timeline, violation: { ...violation, text: `${text}\n  ${warning}` } };
}

function write(reported: Reported, path: string): Failure {
  const { setup } = reported;
  const { rule, text } = reported.violation;
  const file = `${path}.json`;
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(reported.file, fullReportOf(reported));
  writeFileSync(file, `${JSON.stringify({ ...setup, rule, text }, null, 2)}\n`);
  return { rule, text, setup, report: reportOf(reported), file };
}
