/** Fresh seeds in the simulator, for as long as there is CPU time for them. */
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { runCampaign } from '../simulation/run/campaign.ts';
import { ProgressLine } from '../simulation/run/progress-line.ts';
import { listenerOn } from '../simulation/run/show.ts';
import { loadSimulator } from '../simulation/run/simulator.ts';

export interface FreshSeeds {
  /** The first one; default: drawn, and printed. */
  seed: number | undefined;
  cpuMinutes: number;
}

/** Many worlds see more than a few large ones; in one of this size all kinds of trouble meet. */
const size = { machines: 20, hours: 12 } as const;

/** Throws when a rule was broken. */
export async function simulation({ seed, cpuMinutes }: FreshSeeds): Promise<void> {
  const { faultNames: faults, userNames: users } = await loadSimulator();
  const first = seed ?? randomInt(2 ** 31);
  const line = new ProgressLine();
  console.log(`First seed: ${first}`);
  const tally = await runCampaign(
    {
      setup: { seed: first, ...size, faults, users },
      seeds: Infinity,
      cpuMinutes,
      jobs: availableParallelism(),
      isBailing: false,
      isShrinking: true,
    },
    listenerOn(line, true),
  );
  line.clear();
  console.log(tally.summary);
  if (tally.failed.length > 0) throw new Error(`${tally.failed.length} seeds broke a rule`);
}
