/** The command line of `millwright driver verify` -> what is asked. */
import { parseArgs } from 'node:util';
import type { Common } from './arguments.ts';
import { isJson, UsageError } from './usage-error.ts';

export interface Verification extends Common {
  command: 'verify';
  provider: string;
  queue: string;
  /** Undefined: the only class of the provider. */
  className: string | undefined;
  badSpecs: Record<string, unknown>[];
  /** Empty: as the `temporal` command finds it. */
  temporalAddress: string;
  temporalNamespace: string;
}

const options = {
  provider: { type: 'string' },
  queue: { type: 'string' },
  'task-queue': { type: 'string', default: 'millwright' },
  class: { type: 'string' },
  'bad-spec': { type: 'string', multiple: true },
  namespace: { type: 'string', short: 'n' },
  kubeconfig: { type: 'string', default: '' },
  'temporal-address': { type: 'string', default: '' },
  'temporal-namespace': { type: 'string', default: '' },
  output: { type: 'string', short: 'o', default: 'text' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** `argv`: what follows `driver`. Throws a `UsageError`. */
export function readDriverArguments(
  argv: readonly string[],
): Verification | { command: 'driver help' } {
  const { values, positionals } = parse(argv);
  const [command, ...rest] = positionals;
  if (values.help || command === undefined || command === 'help') return { command: 'driver help' };
  if (command !== 'verify') {
    throw wrong(`command "driver ${command}" is not known; allowed: verify`);
  }
  if (rest.length > 0) throw wrong(`"${rest.join(' ')}" is too much after "driver verify"`);
  return readVerification(values);
}

function readVerification(values: ReturnType<typeof parse>['values']): Verification {
  const { provider = '' } = values;
  if (provider === '') throw wrong('--provider is missing: name the driver, as its classes do');
  return {
    command: 'verify',
    provider,
    queue: values.queue ?? `${values['task-queue']}-driver-${provider}`,
    className: values.class,
    badSpecs: (values['bad-spec'] ?? []).map(readBadSpec),
    namespace: values.namespace,
    kubeconfig: values.kubeconfig,
    isJson: isJson(values.output),
    temporalAddress: values['temporal-address'],
    temporalNamespace: values['temporal-namespace'],
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
}

function readBadSpec(text: string): Record<string, unknown> {
  const allowed = 'a JSON object with the field that is wrong first, e.g. {"size": "huge"}';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Told below, with what is allowed.
  }
  throw wrong(`--bad-spec is ${JSON.stringify(text)}; allowed: ${allowed}`);
}

function wrong(message: string): UsageError {
  return new UsageError(`${message}\nmillwright driver --help shows what there is.`);
}
