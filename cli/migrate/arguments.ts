/** The command line of `millwright migrate` -> what is asked. */
import { parseDuration } from '../../workflows/api/duration.ts';
import { commandLine } from '../command-line.ts';
import type { Common } from '../options.ts';
import { isJson } from '../usage-error.ts';

export interface Migration extends Common {
  command: 'migrate check' | 'migrate take-over' | 'migrate hand-back';
  /** Of MCM's processes: one with both, or one each. */
  mcmDeployments: readonly string[];
  /** Of our own Deployments. Undefined: that of the Machines. */
  releaseNamespace: string | undefined;
  /** Providers of MachineClasses that a driver in another process serves. */
  externalProviders: readonly string[];
  /** File with the flags of MCM where it has no Deployment in this cluster. */
  flagsFrom: string | undefined;
  /** Of each wait. */
  timeoutSeconds: number;
  /** Empty: as our watcher's Deployment says, else as the command `temporal` finds it. */
  temporalAddress: string;
  temporalNamespace: string;
}

const { parse, wrong } = commandLine(
  {
    'mcm-deployment': { type: 'string', multiple: true, default: ['machine-controller-manager'] },
    'release-namespace': { type: 'string' },
    'external-provider': { type: 'string', multiple: true, default: [] },
    'flags-from': { type: 'string' },
    timeout: { type: 'string', default: '5m' },
    namespace: { type: 'string', short: 'n' },
    kubeconfig: { type: 'string', default: '' },
    'temporal-address': { type: 'string', default: '' },
    'temporal-namespace': { type: 'string', default: '' },
    output: { type: 'string', short: 'o', default: 'text' },
    help: { type: 'boolean', short: 'h', default: false },
  },
  'millwright migrate --help',
);

const commands = ['check', 'take-over', 'hand-back'] as const;

/** `argv`: what follows `migrate`. Throws a `UsageError`. */
export function readMigrateArguments(
  argv: readonly string[],
): Migration | { command: 'migrate help' } {
  const { values, positionals } = parse(argv);
  const [word, ...rest] = positionals;
  if (values.help || word === undefined || word === 'help') return { command: 'migrate help' };
  const command = commands.find((known) => known === word);
  if (command === undefined) {
    throw wrong(`command "migrate ${word}" is not known; allowed: ${commands.join(', ')}`);
  }
  if (rest.length > 0) throw wrong(`"${rest.join(' ')}" is too much after "migrate ${command}"`);
  return {
    command: `migrate ${command}`,
    mcmDeployments: values['mcm-deployment'],
    releaseNamespace: values['release-namespace'],
    externalProviders: values['external-provider'],
    flagsFrom: values['flags-from'],
    timeoutSeconds: readTimeout(values.timeout),
    temporalAddress: values['temporal-address'],
    temporalNamespace: values['temporal-namespace'],
    namespace: values.namespace,
    kubeconfig: values.kubeconfig,
    isJson: isJson(values.output),
  };
}

function readTimeout(text: string): number {
  const seconds = parseDuration(text);
  if (seconds !== undefined && seconds >= 1) return seconds;
  throw wrong(`--timeout is "${text}"; allowed: a duration of at least 1s, like 90s or 5m`);
}
