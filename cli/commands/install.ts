/** Commands that install Millwright, move to it, remove it, and help those who write a driver. */
import { isIP } from 'node:net';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../workflows/api/duration.ts';
import type { CodecServerOptions } from '../codec-server/server.ts';
import type { Answer } from '../command-line/answer.ts';
import {
  collected,
  matching,
  wholeNumber,
  withCluster,
  withKubeconfig,
  withOutput,
  withPayloadKeys,
  withTemporal,
} from '../command-line/options.ts';
import { inCluster } from '../connection/cluster.ts';
import { contracts } from '../driver/conformance/contract.ts';
import type { QueueOptions } from '../driver/queue.ts';
import type { VerifyOptions } from '../driver/verify.ts';
import { withSdk } from '../driver/with-sdk.ts';
import type { MigrateOptions } from '../migrate/options.ts';
import type { Steps } from '../migrate/steps.ts';
import type { OffboardOptions } from '../offboard/offboard.ts';
import type { SetupOptions } from '../setup/setup.ts';
import type { AddCommand } from './command.ts';
import { command, commandGroup, onCluster } from './command.ts';

interface SetupFlags extends Omit<SetupOptions, 'isCheck' | 'version'> {
  current?: string;
  deployment?: string;
  waitMinutes: number;
  check?: boolean;
}

const setup = command<SetupOptions, SetupFlags>({
  name: 'setup',
  summary: 'make a Temporal namespace ready, or say what it lacks',
  options: [
    (added) =>
      added
        .option('--check', 'change nothing')
        .option(
          '--retention-days <n>',
          'how long a namespace that it makes keeps closed workflows',
          // Temporal takes no less than a day.
          wholeNumber([1, 9_999], 'days'),
          7,
        )
        .option(
          '--current <version>',
          'give the work to workers of this build id, as /readyz of the worker says; "own": that of this image; "unversioned": workers without --worker-deployment',
          matching(
            /^[-\w.]{1,200}$/,
            'a build id of letters, digits, "-", "_" and ".", or own, or unversioned',
          ),
        )
        .option(
          '--deployment <name>',
          '--worker-deployment of the worker',
          matching(
            /^[-\w]{1,200}$/,
            'what --worker-deployment of the worker is, letters, digits, "-" and "_"',
          ),
        )
        .option(
          '--wait-minutes <n>',
          'for a worker of that version',
          wholeNumber([0, 99], 'minutes'),
          5,
        ),
    withTemporal,
    withOutput,
  ],
  about: `It makes the Temporal namespace and registers the search attributes, where they are missing and it may. It changes
nothing that is there. Exit code 1: something is left to do.`,
  examples: [
    'setup --temporal-address temporal.example:7233 --temporal-namespace machines',
    'setup --check',
    'setup --current own --deployment shoot_millwright     (docs/upgrading.md)',
  ],
  read: ({ current, deployment, waitMinutes, check = false, ...given }, _words, refuse) => {
    const options = { ...given, isCheck: check };
    if (current === undefined && deployment === undefined) return options;
    if (current === undefined || deployment === undefined) {
      return refuse('--current and --deployment belong together: a version is one of a deployment');
    }
    const version = { deploymentName: deployment, buildId: current, waitMinutes };
    return { ...options, version };
  },
  run: async (options) => await (await import('../setup/setup.ts')).setup(options),
});

interface MigrateFlags extends Omit<
  MigrateOptions,
  'mcmDeployments' | 'externalProviders' | 'timeoutSeconds' | 'instancesTagged'
> {
  mcmDeployment?: readonly string[];
  externalProvider?: readonly string[];
  instancesTagged?: boolean;
  timeout: number;
}

interface Migration {
  name: string;
  summary: string;
  description?: string;
  options: readonly ((command: Command) => Command)[];
  run(steps: Steps): Promise<Answer>;
  /** With `--from kubermatic`. */
  runFromKubermatic(steps: Steps): Promise<Answer>;
}

function migrationCommand({ options, run, runFromKubermatic, ...names }: Migration): AddCommand {
  return command<MigrateOptions, MigrateFlags>({
    ...names,
    options: [
      ...options,
      withCluster,
      withOutput,
      withTemporal,
      withSource,
      (added) =>
        added
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
            new Option('--timeout <duration>', 'of each wait')
              .argParser(readTimeout)
              .default(300, '5m'),
          ),
    ],
    examples: [
      `migrate ${names.name} -n shoot--dev`,
      `migrate ${names.name} -n kube-system --from kubermatic`,
    ],
    read: ({
      mcmDeployment,
      externalProvider = [],
      instancesTagged = false,
      timeout,
      ...given
    }) => ({
      ...given,
      instancesTagged,
      mcmDeployments: mcmDeployment ?? ['machine-controller-manager'],
      externalProviders: externalProvider,
      timeoutSeconds: timeout,
    }),
    // Progress is no part of the answer.
    run: async (given) =>
      await inCluster(given, async (scope) => {
        const steps = { scope, options: given, report: console.error };
        return await (given.from === 'kubermatic' ? runFromKubermatic(steps) : run(steps));
      }),
  });
}

/** Whose machines they are. */
const withSource = (added: Command): Command =>
  added
    .addOption(
      new Option('--from <controller>', 'whose machines they are')
        .choices(['mcm', 'kubermatic'])
        .default('mcm'),
    )
    .addOption(
      new Option(
        '--machine-controller <namespace/name>',
        "Deployment of Kubermatic's machine-controller",
      )
        .argParser(readNamespacedName)
        .default(
          { namespace: 'kube-system', name: 'machine-controller' },
          'kube-system/machine-controller',
        ),
    );

function readNamespacedName(text: string): MigrateOptions['machineController'] {
  const [, namespace, name] = /^([-a-z0-9]+)\/([-.a-z0-9]+)$/.exec(text) ?? [];
  if (namespace !== undefined && name !== undefined) return { namespace, name };
  throw new InvalidArgumentError('Allowed: NAMESPACE/NAME, like kube-system/machine-controller.');
}

function readTimeout(text: string): number {
  const seconds = parseDuration(text);
  if (seconds !== undefined && seconds >= 1) return seconds;
  throw new InvalidArgumentError('Allowed: a duration of at least 1s, like 90s or 5m.');
}

const migrate = commandGroup({
  name: 'migrate',
  summary:
    "from Gardener's Machine Controller Manager (MCM), or Kubermatic's machine-controller, and back",
  help: `No machine, Node or instance is touched. Install Millwright first, beside MCM: it waits until MCM's Leases are free. Each
command can be repeated: it finds what is done. Where one does not come to its end, the other one leads back.
docs/migrating-from-mcm.md has the whole way; for --from kubermatic docs/migrating-from-kubermatic.md.

You need the rights to get, list and patch Deployments, to list pods, to get and patch Leases, and to list Machines,
MachineSets, MachineDeployments and MachineClasses; check says which of them are missing. hand-back also terminates
workflows and deletes schedules.

Examples:
  millwright migrate check -n shoot--dev
  millwright migrate take-over -n shoot--dev
  millwright migrate hand-back -n shoot--dev --temporal-address temporal.example:7233`,
  commands: [
    migrationCommand({
      name: 'check',
      summary: "say what hinders a take-over, and what MCM's flags are as values of the chart",
      description:
        "Say what hinders a take-over, and what MCM's flags are as values of the chart. Exit code 1: something hinders it.",
      options: [
        (check) =>
          check.option(
            '--flags-from <file>',
            'flags of MCM, one a line, where it has no Deployment here',
          ),
      ],
      run: async ({ scope, options }) => {
        const { answerOf, check } = await import('../migrate/check.ts');
        return answerOf(await check(scope, options));
      },
      runFromKubermatic: async ({ scope, options }) =>
        await (await import('../migrate/kubermatic/check.ts')).check(scope, options),
    }),
    migrationCommand({
      name: 'take-over',
      summary: 'scale MCM to 0, and wait until Millwright manages its machines',
      options: [],
      run: async (steps) => await (await import('../migrate/take-over.ts')).takeOver(steps),
      runFromKubermatic: async (steps) =>
        await (await import('../migrate/kubermatic/take-over.ts')).takeOver(steps),
    }),
    migrationCommand({
      name: 'hand-back',
      summary: 'scale Millwright to 0, end its runs in Temporal, and wait until MCM goes on',
      options: [
        withPayloadKeys,
        (handBack) =>
          handBack.option(
            '--instances-tagged',
            'the instances have the tags by which machine-controller finds them',
          ),
      ],
      run: async (steps) => await (await import('../migrate/hand-back.ts')).handBack(steps),
      runFromKubermatic: async (steps) =>
        await (await import('../migrate/kubermatic/hand-back.ts')).handBack(steps),
    }),
  ],
});

interface OffboardFlags extends Omit<
  OffboardOptions,
  'namespace' | 'leaseNamespace' | 'keepsMachines' | 'isConfirmed'
> {
  leaderElectResourceNamespace?: string;
  keepMachines?: boolean;
  yes?: boolean;
}

const offboard = command<OffboardOptions, OffboardFlags>({
  name: 'offboard',
  summary: 'remove what is kept for a namespace that is served no more',
  options: [
    (added) =>
      added
        .argument('<namespace>', 'of the machines')
        .option('--yes', 'do it; without, it says what it would remove')
        .option(
          '--keep-machines',
          'Machines may stay, with their instances, for MCM or another install',
        )
        .option(
          '--install <name>',
          'whose namespace it is (default: the install that has claimed it)',
        )
        .option('--cluster-id <id>', 'as the processes have it')
        .option('--cluster-name <name>', 'as the processes have it')
        .option('--leader-elect-resource-namespace <name>', 'as the processes have it'),
    withKubeconfig,
    withOutput,
    withTemporal,
    withPayloadKeys,
  ],
  about: `It removes the Schedules, open workflows and claims of the namespace in Temporal, and its Leases. It refuses while a watcher
serves the namespace, and while there are Machines. Exit code 1: something is left to remove.`,
  examples: ['offboard shoot--dev', 'offboard shoot--dev --yes'],
  read: (
    { leaderElectResourceNamespace, keepMachines = false, yes = false, ...options },
    [namespace = ''],
  ) => ({
    ...options,
    namespace,
    leaseNamespace: leaderElectResourceNamespace,
    keepsMachines: keepMachines,
    isConfirmed: yes,
  }),
  run: onCluster(async () => (await import('../offboard/offboard.ts')).offboard),
});

interface CodecServerFlags extends Omit<CodecServerOptions, 'origins'> {
  allowOrigin: readonly string[];
}

const codecServer = command<CodecServerOptions, CodecServerFlags>({
  name: 'codec-server',
  summary: 'decrypt payloads for the Temporal UI and the command temporal',
  options: [
    (added) =>
      added
        .requiredOption('--payload-keys <file>', 'that of watcher and worker')
        .option(
          '--allow-origin <url>',
          'the Temporal UI, such as https://temporal.example; may be given more than once',
          collected(readOrigin),
          [],
        )
        .option('--address <ip>', 'where it listens', readAddress, '127.0.0.1')
        .option('--port <n>', '0: any free one', wholeNumber([0, 65_535]), 8234)
        .option(
          '--token-file <file>',
          'a token that every request has to bring, as "Authorization: Bearer TOKEN"; needed where it listens on another address than that of this host alone',
        ),
  ],
  examples: ['codec-server --payload-keys keys --allow-origin https://temporal.example'],
  read: ({ allowOrigin, ...options }, _words, refuse) => {
    const { address, tokenFile } = options;
    const isLoopback = address === '::1' || address.startsWith('127.');
    if (tokenFile !== undefined || isLoopback) return { ...options, origins: allowOrigin };
    return refuse(
      `--token-file is missing: at ${address} others reach it, and it reads every payload. Give it a file with a token, or let it listen on 127.0.0.1`,
    );
  },
  run: async (options) => await (await import('../codec-server/server.ts')).serveCodec(options),
});

function readAddress(text: string): string {
  if (isIP(text) > 0) return text;
  throw new InvalidArgumentError('Allowed: an IP address.');
}

/** As browsers send it: scheme, host and port, in small letters. */
function readOrigin(text: string): string {
  const origin = URL.parse(text)?.origin;
  if (origin === text && /^https?:/.test(text)) return text;
  throw new InvalidArgumentError(
    'Allowed: the origin of the Temporal UI, such as https://temporal.example.',
  );
}

const withQueue = (added: Command): Command =>
  added
    .requiredOption('--provider <name>', 'as in "provider" of MachineClasses')
    .option('--install <name>', '--install of watcher and worker (default: the namespace)')
    .option(
      '--cluster-id <id>',
      '--cluster-id of watcher and worker (default: the UID of the namespace kube-system)',
    );

interface VerifyFlags extends Omit<VerifyOptions, 'className' | 'badSpecs'> {
  class?: string;
  badSpec?: readonly Record<string, unknown>[];
}

const driver = commandGroup({
  name: 'driver',
  summary: 'for those who write a driver or start to use one',
  commands: [
    command<QueueOptions>({
      name: 'queue',
      summary: 'say which task queues a driver of this provider has to serve',
      options: [withCluster, withOutput, withQueue],
      examples: ['driver queue --provider acme -n shoot--dev'],
      run: onCluster(async () => (await import('../driver/queue.ts')).showQueues),
    }),
    command<VerifyOptions, VerifyFlags>({
      name: 'verify',
      summary: 'ask a running driver everything that the core may ask, and say what is wrong',
      options: [
        (verify) =>
          verify
            .option(
              '--class <name>',
              'MachineClass that says what to make, with which Secret (default: the only one of the provider)',
            )
            .option(
              '--bad-spec <json>',
              "wrong on purpose: merged into the class's spec, must be refused with the name of the first field; may be given more than once. Without it wrong types are tried for up to five fields",
              collected(readBadSpec),
            )
            .option(
              '--trouble <command>',
              'a shell command that makes your fake of the cloud behave badly. It is called with one more word: silent, stranger, dying, or over when the cloud is to be well again; exit code 3: it does not know that word. Without it the checks of troubles are skipped',
            )
            .addOption(
              new Option(
                '--contract <name>',
                'mcm: of a driver behind the bridge for MCM drivers, without what their interface cannot say; it is printed as skipped',
              )
                .choices(contracts)
                .default('millwright'),
            )
            .option(
              '--queue <name>',
              "what the names of the driver's task queues begin with, before /create, /delete and /read (default: those of the install)",
            ),
        withCluster,
        withOutput,
        withQueue,
        withTemporal,
        withPayloadKeys,
      ],
      about: `The driver has to run, as a Temporal worker in any language, and a watcher in the namespace of the machines, because
without one nothing may be created. Instances are really made: five to eight, with names that begin with "verify-".
All of them are deleted again, whatever happens; of a run that was killed the check safety/orphans deletes what is
left. They are made with the user data of the class, as it is, without a bootstrap token. docs/writing-a-driver.md
says what is asked, and why.

It needs to read the class, its Secret and the namespace kube-system, and to create and delete MachineClasses; it
deletes Nodes of its machines that joined the same cluster. Exit code 1: something is wrong with the driver.`,
      examples: [
        'driver verify --provider virtual',
        `driver verify --provider acme --class pool-a -n shoot--dev --bad-spec '{"size": "huge"}'`,
        "driver verify --provider acme --trouble './fake-cloud-ctl behave'",
        'driver verify --provider acme --contract mcm          (docs/bridge-mcm-driver.md)',
        'driver verify --provider acme --queue acme-from-my-laptop -o json',
      ],
      read: ({ class: className, badSpec: badSpecs = [], ...options }) => ({
        ...options,
        className,
        badSpecs,
      }),
      run: onCluster(async () => {
        const { verify } = await withSdk('driver verify', () => import('../driver/verify.ts'));
        return verify;
      }),
    }),
  ],
});

function readBadSpec(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Reported below, with what is allowed.
  }
  throw new InvalidArgumentError(
    'Allowed: a JSON object with the field that is wrong first, e.g. {"size": "huge"}.',
  );
}

export const installCommands = [setup, migrate, offboard, codecServer, driver];
