/** From Gardener's Machine Controller Manager (MCM) to Millwright, and back. */
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../workflows/api/duration.ts';
import type { Answer, Run } from '../command-line/answer.ts';
import { inCluster } from '../connection/cluster.ts';
import type { ClusterOptions, OutputOptions, TemporalOptions } from '../command-line/options.ts';
import {
  collected,
  withCluster,
  withOutput,
  withPayloadKeys,
  withTemporal,
} from '../command-line/options.ts';
import type { Migration } from './migration.ts';
import type { Steps } from './steps.ts';

interface Options extends ClusterOptions, TemporalOptions, OutputOptions {
  mcmDeployment?: readonly string[];
  releaseNamespace?: string;
  externalProvider?: readonly string[];
  flagsFrom?: string;
  timeout: number;
}

const about = `
No machine, Node or instance is touched. Install Millwright first, beside MCM: it waits until MCM's Leases are free. Each
command can be repeated: it finds what is done. Where one does not come to its end, the other one leads back.
docs/migrating-from-mcm.md has the whole way.

You need the rights to get, list and patch Deployments, to list pods, to get and patch Leases, and to list Machines,
MachineSets, MachineDeployments and MachineClasses; check says which of them are missing. hand-back also terminates
workflows and deletes schedules.

Examples:
  millwright migrate check -n shoot--dev
  millwright migrate take-over -n shoot--dev
  millwright migrate hand-back -n shoot--dev --temporal-address temporal.example:7233`;

export function addMigrate(parent: Command, run: Run): void {
  const group = parent
    .command('migrate')
    .summary("from Gardener's Machine Controller Manager (MCM) to Millwright, and back")
    .description("From Gardener's Machine Controller Manager (MCM) to Millwright, and back.")
    .addHelpText('after', about);
  addStep(
    group
      .command('check')
      .summary("say what hinders a take-over, and what MCM's flags are as values of the chart")
      .description(
        "Say what hinders a take-over, and what MCM's flags are as values of the chart. Exit code 1: something hinders it.",
      )
      .option('--flags-from <file>', 'flags of MCM, one a line, where it has no Deployment here'),
    run,
    async ({ place, asked }) => {
      const { check, reportOf } = await import('./check.ts');
      return reportOf(await check(place, asked));
    },
  );
  addStep(
    group
      .command('take-over')
      .summary('scale MCM to 0, and wait until Millwright manages its machines')
      .description('Scale MCM to 0, and wait until Millwright manages its machines.'),
    run,
    async (steps) => {
      const { takeOver } = await import('./take-over.ts');
      return await takeOver(steps);
    },
  );
  addStep(
    withPayloadKeys(group.command('hand-back'))
      .summary('scale Millwright to 0, end its runs in Temporal, and wait until MCM goes on')
      .description('Scale Millwright to 0, end its runs in Temporal, and wait until MCM goes on.'),
    run,
    async (steps) => {
      const { handBack } = await import('./hand-back.ts');
      return await handBack(steps);
    },
  );
}

function addStep(command: Command, run: Run, act: (steps: Steps) => Promise<Answer>): void {
  withTemporal(withOutput(withCluster(command)))
    .addHelpText('after', `\nExamples:\n  millwright migrate ${command.name()} -n shoot--dev`)
    .option(
      '--mcm-deployment <name>',
      "of MCM's processes; more than once where they are apart (default: machine-controller-manager)",
      collected(String),
    )
    .option(
      '--release-namespace <name>',
      'where Millwright is installed (default: the namespace of the machines)',
    )
    .option(
      '--external-provider <name>',
      'a provider of MachineClasses whose driver is not built in and runs; more than once',
      collected(String),
    )
    .addOption(
      new Option('--timeout <duration>', 'of each wait').argParser(readTimeout).default(300, '5m'),
    )
    .action((options: Options) =>
      run(migrationOf(options), (asked) =>
        // Progress is no part of the answer.
        inCluster(asked, (place) => act({ place, asked, report: console.error })),
      ),
    );
}

function migrationOf(options: Options): Migration {
  const { mcmDeployment, externalProvider = [], timeout, ...others } = options;
  return {
    ...others,
    mcmDeployments: mcmDeployment ?? ['machine-controller-manager'],
    externalProviders: externalProvider,
    timeoutSeconds: timeout,
  };
}

function readTimeout(text: string): number {
  const seconds = parseDuration(text);
  if (seconds !== undefined && seconds >= 1) return seconds;
  throw new InvalidArgumentError('Allowed: a duration of at least 1s, like 90s or 5m.');
}
