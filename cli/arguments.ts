/** The command line of `millwright` -> what is asked. */
import type { Common } from './options.ts';
import { commandLine } from './command-line.ts';
import type { QueueQuestion, Verification } from './driver-arguments.ts';
import { readDriverArguments } from './driver-arguments.ts';
import type { Migration } from './migrate/arguments.ts';
import { readMigrateArguments } from './migrate/arguments.ts';
import type { OffboardQuestion } from './offboard-arguments.ts';
import { readOffboardArguments } from './offboard-arguments.ts';
import type { SetupQuestion } from './setup-arguments.ts';
import { readSetupArguments } from './setup-arguments.ts';
import type { CodecServerQuestion } from './codec-server-arguments.ts';
import { readCodecServerArguments } from './codec-server-arguments.ts';
import type { CommandQuestion } from './command-arguments.ts';
import { readCommandArguments } from './command-arguments.ts';
import { isJson, UsageError } from './usage-error.ts';

export { UsageError };

export type Asked =
  | { command: 'help' }
  | (Common & { command: 'stop'; reason: string; by: string | undefined })
  | (Common & { command: 'status' })
  | (Common & { command: 'resume' })
  | { command: 'driver help' }
  | { command: 'migrate help' }
  | Migration
  | SetupQuestion
  | CodecServerQuestion
  | CommandQuestion
  | OffboardQuestion
  | QueueQuestion
  | Verification;

const { parse, wrong } = commandLine(
  {
    reason: { type: 'string' },
    by: { type: 'string' },
    status: { type: 'boolean', default: false },
    namespace: { type: 'string', short: 'n' },
    kubeconfig: { type: 'string', default: '' },
    output: { type: 'string', short: 'o', default: 'text' },
    help: { type: 'boolean', short: 'h', default: false },
  },
  'millwright --help',
);

/** Commands with a command line of their own. */
const groups = new Map<string | undefined, (argv: readonly string[]) => Asked>([
  ['driver', readDriverArguments],
  ['migrate', readMigrateArguments],
  ['setup', readSetupArguments],
  ['codec-server', readCodecServerArguments],
  ['command', readCommandArguments],
  ['offboard', readOffboardArguments],
]);

/** Throws a `UsageError`. */
export function readArguments(argv: readonly string[]): Asked {
  const [first, ...others] = argv;
  const group = groups.get(first);
  if (group) return group(others);
  const { values, positionals } = parse(argv);
  const [command, ...rest] = positionals;
  if (values.help || command === 'help' || argv.length === 0) return { command: 'help' };
  if (rest.length > 0) throw wrong(`"${rest.join(' ')}" is too much after "${command}"`);
  const { namespace, kubeconfig, output } = values;
  const common = { namespace, kubeconfig, isJson: isJson(output) };
  if (command === 'stop') return { ...common, ...readStop(values) };
  if (command === 'resume') return { ...common, command };
  throw wrong(
    `command "${command ?? ''}" is not known; allowed: setup, migrate, stop, resume, command, offboard, driver, codec-server, help`,
  );
}

interface StopValues {
  reason?: string | undefined;
  by?: string | undefined;
  status: boolean;
}

function readStop({ reason, by, status }: StopValues) {
  if (status) return { command: 'status' } as const;
  if (reason === undefined || reason.trim() === '') {
    throw wrong('--reason is missing: say why, e.g. --reason "the cloud deletes the wrong disks"');
  }
  return { command: 'stop', reason, by } as const;
}
