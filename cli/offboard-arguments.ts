/** The command line of `millwright offboard` -> what is asked. */
import { commandLine } from './command-line.ts';
import type { Common } from './options.ts';
import { isJson } from './usage-error.ts';

export interface OffboardQuestion extends Common {
  command: 'offboard';
  namespace: string;
  /** Undefined: the one that the namespace is claimed for. */
  install: string | undefined;
  /** Undefined: the UID of the namespace kube-system. */
  clusterId: string | undefined;
  clusterName: string | undefined;
  /** Of the Lease of our own. Undefined: the namespace itself. */
  leaseNamespace: string | undefined;
  /** Machines, sets and deployments stay as they are. False: it refuses while there are any. */
  keepsMachines: boolean;
  /** False: it changes nothing, and says what it would remove. */
  isConfirmed: boolean;
  /** Empty: as TEMPORAL_ADDRESS or the profile says. */
  address: string;
  /** Of Temporal. Empty: as TEMPORAL_NAMESPACE or the profile says. */
  temporalNamespace: string;
  /** As --payload-keys of watcher and worker. Empty: payloads are plain. */
  payloadKeys: string;
}

const { parse, wrong } = commandLine(
  {
    install: { type: 'string' },
    'cluster-id': { type: 'string' },
    'cluster-name': { type: 'string' },
    'leader-elect-resource-namespace': { type: 'string' },
    'keep-machines': { type: 'boolean', default: false },
    yes: { type: 'boolean', default: false },
    'temporal-address': { type: 'string', default: '' },
    'temporal-namespace': { type: 'string', default: '' },
    'payload-keys': { type: 'string', default: '' },
    kubeconfig: { type: 'string', default: '' },
    output: { type: 'string', short: 'o', default: 'text' },
    help: { type: 'boolean', short: 'h', default: false },
  },
  'millwright --help',
);

/** Throws a `UsageError`. */
export function readOffboardArguments(
  argv: readonly string[],
): OffboardQuestion | { command: 'help' } {
  const { values, positionals } = parse(argv);
  if (values.help) return { command: 'help' };
  const [namespace, ...rest] = positionals;
  if (namespace === undefined) {
    throw wrong('NAMESPACE is missing: say which, e.g. millwright offboard shoot--dev');
  }
  if (rest.length > 0) throw wrong(`"${rest.join(' ')}" is too much after "${namespace}"`);
  return {
    command: 'offboard',
    namespace,
    install: values.install,
    clusterId: values['cluster-id'],
    clusterName: values['cluster-name'],
    leaseNamespace: values['leader-elect-resource-namespace'],
    keepsMachines: values['keep-machines'],
    isConfirmed: values.yes,
    address: values['temporal-address'],
    temporalNamespace: values['temporal-namespace'],
    payloadKeys: values['payload-keys'],
    kubeconfig: values.kubeconfig,
    isJson: isJson(values.output),
  };
}
