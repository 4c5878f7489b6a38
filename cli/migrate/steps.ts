/** Shared by take-over and hand-back: waits with a limit, and what was done so far. */
import { setTimeout } from 'node:timers/promises';
import { isUnreachable } from '../../kube/client/errors.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type { MigrateOptions } from './options.ts';

export interface Steps {
  scope: ClusterScope;
  options: MigrateOptions;
  /** Says what is being done, or was done. */
  report(step: string): void;
}

const checkEveryMs = 500;

/** Checks until there is nothing to wait for any more; `obstacleNow` says what there still is. */
export async function until(
  { options, report }: Pick<Steps, 'report'> & { options: Pick<MigrateOptions, 'timeoutSeconds'> },
  what: string,
  obstacleNow: () => Promise<string | undefined>,
): Promise<void> {
  const deadline = Date.now() + options.timeoutSeconds * 1_000;
  for (let said: string | undefined; ;) {
    const obstacle = await obstacleNow().catch(outOfReach);
    if (obstacle === undefined) return;
    if (Date.now() > deadline) {
      throw new Error(
        `${what}: after ${options.timeoutSeconds} s still ${obstacle}. Run the command again to go on waiting; --timeout is its limit`,
      );
    }
    if (obstacle !== said) report(`waiting: ${obstacle}`);
    said = obstacle;
    await setTimeout(checkEveryMs);
  }
}

/** A process that restarts ends no wait: in the middle of a hand-back no controller is at work. */
function outOfReach(error: unknown): string {
  if (!isUnreachable(error)) throw error;
  return `the API server does not answer (${error.message})`;
}
