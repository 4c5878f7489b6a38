/**
 * A short run of chaos on a stack of its own: it kills the servers, so nothing can run beside it.
 */
import { join } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import { runChaos } from '../chaos/chaos.ts';
import { commandOf } from '../chaos/options.ts';
import { shortRun } from '../chaos/short-run.ts';
import { summaryOf } from '../chaos/summary.ts';
import { actionLogOf } from '../chaos/world.ts';

const stateDir = join(repository, '.millwright', 'test-chaos');

/** Throws when something was violated. `seed`: default one with every kind of trouble in it. */
export async function chaos(seed: number = shortRun.seed): Promise<void> {
  const options = { ...shortRun, seed, stateDir };
  const tally = await runChaos(options);
  console.log(summaryOf(tally));
  const { length } = tally.violations;
  if (length === 0) return;
  throw new Error(
    `${length} violations. Actions: ${actionLogOf(stateDir)}. The same again: ${commandOf(options)}`,
  );
}
