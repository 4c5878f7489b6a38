/** The command line of `millwright command` -> what is asked. */
import type { MachineKind } from '../activities/kube/client/paths.ts';
import {
  longestWrittenCommand,
  writtenMachineCommand,
  writtenRolloutCommand,
} from '../workflows/contracts/written-command.ts';
import { commandLine } from './command-line.ts';
import type { Common } from './options.ts';
import { isJson } from './usage-error.ts';

export interface CommandQuestion extends Common {
  command: 'command';
  resource: MachineKind;
  name: string;
  /** As it is written on the object, without `by`. */
  text: string;
  /** Undefined: as the API server knows the caller. */
  by: string | undefined;
}

const { parse, wrong } = commandLine(
  {
    minutes: { type: 'string' },
    replicas: { type: 'string' },
    revision: { type: 'string' },
    by: { type: 'string' },
    namespace: { type: 'string', short: 'n' },
    kubeconfig: { type: 'string', default: '' },
    output: { type: 'string', short: 'o', default: 'text' },
    help: { type: 'boolean', short: 'h', default: false },
  },
  'millwright --help',
);

const kinds = new Map([
  ['machine', { resource: 'machines', read: writtenMachineCommand }],
  ['machinedeployment', { resource: 'machinedeployments', read: writtenRolloutCommand }],
] as const);

/** Throws a `UsageError`. */
export function readCommandArguments(
  argv: readonly string[],
): CommandQuestion | { command: 'help' } {
  const { values, positionals } = parse(argv);
  if (values.help) return { command: 'help' };
  const [object = '', verb = '', ...rest] = positionals;
  if (rest.length > 0) throw wrong(`"${rest.join(' ')}" is too much after "${verb}"`);
  const { by, namespace, kubeconfig, output } = values;
  const { resource, name, read } = readObject(object);
  const text = [verb, ...fieldsIn(values)].join(' ');
  const found = read(text);
  if ('fault' in found) throw wrong(`"${text}": ${found.fault}`);
  if (by !== undefined && !/^\S{1,200}$/.test(by)) {
    throw wrong(`--by is "${by}"; allowed: up to 200 characters without blanks`);
  }
  const common = { namespace, kubeconfig, isJson: isJson(output) };
  return { command: 'command', resource, name, text, by, ...common };
}

function readObject(object: string) {
  const [kind, name = '', ...more] = object.split('/');
  const known = [...kinds].find(([word]) => word === kind)?.[1];
  if (known && name !== '' && more.length === 0) return { ...known, name };
  throw wrong(`"${object}" is not an object; allowed: machine/NAME, machinedeployment/NAME`);
}

function fieldsIn({ minutes, replicas, revision }: ReturnType<typeof parse>['values']): string[] {
  return Object.entries({ minutes, replicas, revision }).flatMap(([field, value]) =>
    value === undefined ? [] : [`${field}=${value}`],
  );
}

/** `text` with who asks, as far as there is room for it. */
export function signed(text: string, by: string | undefined): string {
  const whole = `${text} by=${by}`;
  return by === undefined || whole.length > longestWrittenCommand ? text : whole;
}
