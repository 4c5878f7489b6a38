/**
 * A world without anything in it, for tests of this folder. It breaks a rule after one and a half
 * hours where there are three machines, lost calls, kills and a user who scales.
 */
import { Timeline } from '../engine/timeline.ts';
import type { Violation } from '../engine/simulation.ts';
import { startMs, type Outcome, type Setup, type Simulator } from './simulator.ts';

export const faultNames = ['lostCalls', 'slowCalls', 'kills', 'outages', 'clockJumps'] as const;
export const userNames = ['scale', 'edit', 'pause'] as const;

const brokenAtMs = startMs + 1.5 * 3_600_000;
const brokenRule = 'one instance per token';

/** Of seeds that are special. */
export const throwingSeed = 1_000_001;
export const dyingSeed = 1_000_002;
export const endlessSeed = 1_000_004;
/** Never breaks a rule. */
export const goodSeed = 1_000_003;

export const simulate: Simulator['simulate'] = async (options) => {
  if (options.seed === throwingSeed) throw new Error('the fake world is broken');
  if (options.seed === dyingSeed) process.exit(3);
  if (options.seed === endlessSeed) for (;;);
  return await Promise.resolve(outcomeFor(options));
};

export const fakeSimulator: Simulator = { simulate, faultNames, userNames };

function outcomeFor(setup: Setup): Outcome {
  const timeline = new Timeline(startMs);
  const violations: Violation[] = [];
  timeline.add({ at: startMs, who: 'user', what: 'scales pool-one to 3' });
  timeline.add({ at: startMs + 1_000, who: 'cloud', what: 'creates i-0007 for pool-one-a1b2c' });
  if (isBroken(setup)) {
    timeline.add({ at: brokenAtMs, who: 'judge', what: 'i-0007 is the second one' });
    violations.push({
      at: brokenAtMs,
      rule: brokenRule,
      text: 'Machine default/pool-one-a1b2c has i-0007 as well after 30s',
    });
  }
  const simulatedMs = setup.hours * 3_600_000;
  return { violations, lives: setup.machines, events: 100, timeline, simulatedMs };
}

function isBroken({ seed, machines, hours, faults, users }: Setup): boolean {
  const needed = ['lostCalls', 'kills'].every((name) => faults.includes(name));
  const isLarge = machines >= 3 && startMs + hours * 3_600_000 >= brokenAtMs;
  return seed !== goodSeed && needed && isLarge && users.includes('scale');
}
