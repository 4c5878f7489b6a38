/** The trouble is over: everything must come to rest, and then everything must be right. */
import { eventually } from '../support/eventually.ts';
import {
  lastingInvariants,
  restingInvariants,
  type Expectation,
  type Invariant,
} from './invariants.ts';
import { takeSnapshot, type Snapshot } from './snapshot.ts';
import type { Tally } from './tally.ts';
import type { World } from './world.ts';

const pollMilliseconds = 500;

/** Broken invariants are told in the tally. */
export async function awaitQuiet(
  world: World,
  tally: Tally,
  { limitSeconds, ...expectation }: Expectation & { limitSeconds: number },
): Promise<void> {
  const start = performance.now();
  for (const { kind, fired } of await world.cloud.clearFaults()) tally.add('fault', kind, fired);
  const look = async (): Promise<Snapshot> => {
    const snapshot = await takeSnapshot(world);
    const broken = brokenOf(restingInvariants, snapshot, expectation);
    if (broken.length > 0) throw new Error(broken.join('\n'));
    return snapshot;
  };
  try {
    const limits = { timeoutSeconds: limitSeconds, pollMilliseconds };
    const snapshot = await eventually('everything is at rest', look, limits);
    tally.settleSeconds.push((performance.now() - start) / 1_000);
    tally.violations.push(...brokenOf(lastingInvariants, snapshot, expectation));
  } catch (error) {
    tally.violations.push(error instanceof Error ? error.message : String(error));
  }
  tally.invariantsChecked += restingInvariants.length + lastingInvariants.length;
}

const brokenOf = (
  invariants: readonly Invariant[],
  snapshot: Snapshot,
  expectation: Expectation,
): string[] =>
  invariants.flatMap(({ name, violations }) =>
    violations(snapshot, expectation).map((text) => `${name}: ${text}`),
  );
