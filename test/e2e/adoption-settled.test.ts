/**
 * Takes over from MCM v0.62.1 before and after its first rollout. Names, hashes and revisions of
 * the sets are of MCM's making. test/fixtures/mcm-0.62.1 says how each moment came to be.
 */
import { writesOfTakeover, useTakeover } from './support/mcm-takeover.ts';

describe.each([
  { moment: '02-running', short: 'adopt02' },
  { moment: '05-rollout-complete-revision-2', short: 'adopt05' },
] as const)('what MCM left at $moment', ({ moment, short }) => {
  const takeover = useTakeover(short, moment);

  test('stays as it is, and nothing is written', async () => {
    expect(await writesOfTakeover(takeover)).toEqual([]);
  });
});
