/** For those who write a driver or start to use one. */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { Run } from '../command-line/answer.ts';
import { inCluster } from '../connection/cluster.ts';
import type { ClusterOptions, OutputOptions, TemporalOptions } from '../command-line/options.ts';
import {
  collected,
  withCluster,
  withOutput,
  withPayloadKeys,
  withTemporal,
} from '../command-line/options.ts';
import { withSdk } from './with-sdk.ts';

/** Names the queue of a driver, as its install does. */
export interface QueueQuestion extends ClusterOptions, OutputOptions {
  provider: string;
  /** Undefined: named after the namespace. */
  install?: string | undefined;
  /** Undefined: the UID of the namespace kube-system. */
  clusterId?: string | undefined;
}

export interface Verification extends QueueQuestion, TemporalOptions {
  /** Undefined: that of the install. */
  queue?: string | undefined;
  /** Undefined: the only class of the provider. */
  className?: string | undefined;
  badSpecs: readonly Record<string, unknown>[];
  /** Shell command that arranges troubles of the cloud; undefined: none can be arranged. */
  trouble?: string | undefined;
}

interface VerifyOptions extends QueueQuestion, TemporalOptions {
  queue?: string;
  class?: string;
  badSpec?: readonly Record<string, unknown>[];
  trouble?: string;
}

const queueExamples = `
Examples:
  millwright driver queue --provider acme -n shoot--dev`;

const aboutVerify = `
The driver has to run, as a Temporal worker in any language, and a watcher in the namespace of the machines, because
without one nothing may be created. Instances are really made: five to eight, with names that begin with "verify-".
All of them are deleted again, whatever happens; of a run that was killed the check safety/orphans deletes what is
left. They are made with the user data of the class, as it is, without a bootstrap token. docs/writing-a-driver.md
says what is asked, and why.

It needs to read the class, its Secret and the namespace kube-system, and to create and delete MachineClasses; it
deletes Nodes of its machines that joined the same cluster. Exit code 1: something is wrong with the driver.

Examples:
  millwright driver verify --provider virtual
  millwright driver verify --provider acme --class pool-a -n shoot--dev --bad-spec '{"size": "huge"}'
  millwright driver verify --provider acme --trouble './fake-cloud-ctl behave'
  millwright driver verify --provider acme --queue acme-from-my-laptop -o json`;

export function addDriver(parent: Command, run: Run): void {
  const group = parent
    .command('driver')
    .summary('for those who write a driver or start to use one')
    .description('For those who write a driver or start to use one.');
  addQueue(group, run);
  addVerify(group, run);
}

function withQueue(command: Command): Command {
  return withOutput(withCluster(command))
    .requiredOption('--provider <name>', 'as in "provider" of MachineClasses')
    .option('--install <name>', '--install of watcher and worker (default: the namespace)')
    .option(
      '--cluster-id <id>',
      '--cluster-id of watcher and worker (default: the UID of the namespace kube-system)',
    );
}

function addQueue(group: Command, run: Run): void {
  const command = group
    .command('queue')
    .summary('say which task queues a driver of this provider has to serve')
    .description('Say which task queues a driver of this provider has to serve.');
  withQueue(command)
    .addHelpText('after', queueExamples)
    .action((options: QueueQuestion) =>
      run(options, (asked) =>
        inCluster(asked, async (place) => {
          const { showQueues } = await import('./queue.ts');
          return await showQueues(place, asked);
        }),
      ),
    );
}

function addVerify(group: Command, run: Run): void {
  const command = group
    .command('verify')
    .summary('ask a running driver everything that the core may ask, and say what is wrong')
    .description('Ask a running driver everything that the core may ask, and say what is wrong.')
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
    .option(
      '--queue <name>',
      "what the names of the driver's task queues begin with, before /create, /delete and /read (default: those of the install)",
    );
  withPayloadKeys(withTemporal(withQueue(command)))
    .addHelpText('after', aboutVerify)
    .action((options: VerifyOptions) =>
      run(verificationOf(options), (asked) =>
        inCluster(asked, async (place) => {
          const { verify } = await withSdk('driver verify', () => import('./verify.ts'));
          return await verify(place, asked);
        }),
      ),
    );
}

function verificationOf(options: VerifyOptions): Verification {
  const { class: className, badSpec: badSpecs = [], ...others } = options;
  return { ...others, className, badSpecs };
}

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
