/** The command line of `millwright driver` -> what is asked. */
import { commandLine } from './command-line.ts';
import type { Common } from './options.ts';
import { isJson } from './usage-error.ts';

/** Names the queue of a driver, as its install does. */
export interface QueueQuestion extends Common {
  command: 'queue';
  provider: string;
  /** Undefined: named after the namespace. */
  install: string | undefined;
  /** Undefined: the UID of the namespace kube-system. */
  clusterId: string | undefined;
}

export interface Verification extends Omit<QueueQuestion, 'command'> {
  command: 'verify';
  /** Undefined: that of the install. */
  queue: string | undefined;
  /** Undefined: the only class of the provider. */
  className: string | undefined;
  badSpecs: Record<string, unknown>[];
  /** Shell command that arranges troubles of the cloud; undefined: none can be arranged. */
  trouble: string | undefined;
  /** Empty: as the `temporal` command finds it. */
  temporalAddress: string;
  temporalNamespace: string;
  /** As --payload-keys of watcher and worker. Empty: payloads are plain. */
  payloadKeys: string;
}

const { parse, wrong } = commandLine(
  {
    provider: { type: 'string' },
    queue: { type: 'string' },
    install: { type: 'string' },
    'cluster-id': { type: 'string' },
    class: { type: 'string' },
    'bad-spec': { type: 'string', multiple: true },
    trouble: { type: 'string' },
    namespace: { type: 'string', short: 'n' },
    kubeconfig: { type: 'string', default: '' },
    'temporal-address': { type: 'string', default: '' },
    'temporal-namespace': { type: 'string', default: '' },
    'payload-keys': { type: 'string', default: '' },
    output: { type: 'string', short: 'o', default: 'text' },
    help: { type: 'boolean', short: 'h', default: false },
  },
  'millwright driver --help',
);

/** `argv`: what follows `driver`. Throws a `UsageError`. */
export function readDriverArguments(
  argv: readonly string[],
): Verification | QueueQuestion | { command: 'driver help' } {
  const { values, positionals } = parse(argv);
  const [command, ...rest] = positionals;
  if (values.help || command === undefined || command === 'help') return { command: 'driver help' };
  if (command !== 'verify' && command !== 'queue') {
    throw wrong(`command "driver ${command}" is not known; allowed: verify, queue`);
  }
  if (rest.length > 0) throw wrong(`"${rest.join(' ')}" is too much after "driver ${command}"`);
  return command === 'queue' ? readQueueQuestion(values) : readVerification(values);
}

function readQueueQuestion(values: ReturnType<typeof parse>['values']): QueueQuestion {
  const { provider = '', install, namespace, kubeconfig, output } = values;
  if (provider === '') throw wrong('--provider is missing: name the driver, as its classes do');
  const clusterId = values['cluster-id'];
  const common = { namespace, kubeconfig, isJson: isJson(output) };
  return { command: 'queue', provider, install, clusterId, ...common };
}

function readVerification(values: ReturnType<typeof parse>['values']): Verification {
  return {
    ...readQueueQuestion(values),
    command: 'verify',
    queue: values.queue,
    className: values.class,
    badSpecs: (values['bad-spec'] ?? []).map(readBadSpec),
    trouble: values.trouble,
    temporalAddress: values['temporal-address'],
    temporalNamespace: values['temporal-namespace'],
    payloadKeys: values['payload-keys'],
  };
}

function readBadSpec(text: string): Record<string, unknown> {
  const allowed = 'a JSON object with the field that is wrong first, e.g. {"size": "huge"}';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Reported below, with what is allowed.
  }
  throw wrong(`--bad-spec is ${JSON.stringify(text)}; allowed: ${allowed}`);
}
