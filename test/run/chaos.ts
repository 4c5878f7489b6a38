/** A short run of chaos on a stack of its own: it kills the servers, so nothing can run beside it. */
import { join } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import { runChaos } from '../chaos/chaos.ts';
import { commandOf } from '../chaos/options.ts';
import { shortRun } from '../chaos/short-run.ts';
import { summaryOf } from '../chaos/summary.ts';
import { actionLogOf } from '../chaos/world.ts';

const stateDir = join(repository, '.millwright', 'test-chaos');

/** Throws when something was violated. */
export async function chaos(): Promise<void> {
  const options = { ...shortRun, stateDir };
  const tally = await runChaos(options);
  console.log(summaryOf(tally));
  const { length } = tally.violations;
  if (length === 0) return;
  throw new Error(
    `${length} violations. Actions: ${actionLogOf(stateDir)}. The same again: ${commandOf(options)}`,
  );
}
