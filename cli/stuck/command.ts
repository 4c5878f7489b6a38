/** `millwright stuck`: what has waited for longer than it should. */
import type { Command } from 'commander';
import type { Run } from '../command-line/answer.ts';
import { inCluster } from '../connection/cluster.ts';
import type { FleetQuestion } from '../install/question.ts';
import { withFleet } from '../install/question.ts';
import { durationSeconds } from '../command-line/options.ts';

export interface StuckQuestion extends FleetQuestion {
  /** Seconds. Undefined: an hour. */
  stoppedFor?: number | undefined;
}

const about = `
Each finding has the name of its trouble, and "millwright runbook NAME" prints what to do. "millwright explain" says more
about one object. The exit code is 0 whether anything is stuck or not.

Examples:
  millwright stuck -n shoot--dev
  millwright stuck -n shoot--dev --stopped-for 5m
  millwright stuck -A -o json | jq '.findings[].trouble'`;

export function addStuck(parent: Command, run: Run): void {
  const command = parent
    .command('stuck')
    .summary('list what has waited for longer than it should, worst first')
    .description('List what has waited for longer than it should, worst first, and why.');
  withFleet(command)
    .option(
      '--stopped-for <duration>',
      'for how long a stop stands until it counts (default: 1h)',
      durationSeconds,
    )
    .addHelpText('after', about)
    .action((options: StuckQuestion) =>
      run(options, (asked) =>
        inCluster(asked, async (place) => {
          const { stuck } = await import('./stuck.ts');
          return await stuck(place, asked);
        }),
      ),
    );
}
