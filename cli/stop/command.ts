/** `stop` and `start` of everything in a namespace. */
import type { Command } from 'commander';
import type { Run } from '../command-line/answer.ts';
import { inCluster } from '../connection/cluster.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import { withCluster, withOutput } from '../command-line/options.ts';
import { showStop, start, stop } from './stop.ts';

export interface StartQuestion extends ClusterOptions, OutputOptions {}

export interface StopQuestion extends StartQuestion {
  /** Undefined: only say whether everything is stopped. */
  reason?: string | undefined;
  by?: string | undefined;
}

interface StopOptions extends StopQuestion {
  status?: boolean;
}

const about = `
A stop is the ConfigMap "millwright-stop" in the namespace of the machines: "kubectl apply" and "kubectl delete" do the
same. It outlives restarts of everything. While it stands no machine, no instance and no Node is created or deleted,
and no pod is evicted; machines that run go on running, and no machine becomes Failed because of it.

Examples:
  millwright stop -n shoot--dev --reason "the cloud deletes the wrong disks" --by alice
  millwright stop -n shoot--dev --status -o json
  millwright start -n shoot--dev`;

export function addStop(parent: Command, run: Run): void {
  const command = parent
    .command('stop')
    .summary('keep everything from being created or deleted, within seconds')
    .description('Keep everything from being created or deleted, within seconds.')
    .option('--reason <text>', 'why; everybody who waits sees it')
    .option('--by <name>', 'who stops it; not checked')
    .option('--status', 'only say whether everything is stopped, since when, by whom and why');
  withOutput(withCluster(command))
    .addHelpText('after', about)
    .action((options: StopOptions) =>
      run(questionOf(options, command), (asked) =>
        inCluster(asked, (place) =>
          asked.reason === undefined
            ? showStop(place)
            : stop(place, { reason: asked.reason, by: asked.by }),
        ),
      ),
    );
}

function questionOf(options: StopOptions, command: Command): StopQuestion {
  const { status = false, reason, ...others } = options;
  if (status) return others;
  if (reason === undefined || reason.trim() === '') {
    command.error(
      '--reason is missing: say why, e.g. --reason "the cloud deletes the wrong disks"',
    );
  }
  return { ...others, reason };
}

export function addStart(parent: Command, run: Run): void {
  const command = parent
    .command('start')
    .summary('end a stop')
    .description('End a stop: machines are created and deleted again.');
  withOutput(withCluster(command))
    .addHelpText('after', '\nExamples:\n  millwright start -n shoot--dev')
    .action((options: StartQuestion) => run(options, (asked) => inCluster(asked, start)));
}
