/** `millwright status`: an install in one screen. */
import type { Command } from 'commander';
import type { Run } from '../command-line/answer.ts';
import { inCluster } from '../connection/cluster.ts';
import type { FleetQuestion } from '../install/question.ts';
import { withFleet } from '../install/question.ts';

const about = `
The time that is left of a rollout follows from the machines that it has made so far; before the first two, from the time
that other machines of the pool took to join.

Examples:
  millwright status -n shoot--dev
  millwright status -A -o wide`;

export function addStatus(parent: Command, run: Run): void {
  const command = parent
    .command('status')
    .summary('show machines, rollouts and processes in one screen, what is stuck first')
    .description('Show machines, rollouts and processes in one screen, what is stuck first.');
  withFleet(command)
    .addHelpText('after', about)
    .action((options: FleetQuestion) =>
      run(options, (asked) =>
        inCluster(asked, async (place) => {
          const { status } = await import('./status.ts');
          return await status(place, asked);
        }),
      ),
    );
}
