import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { repository } from './layout.ts';

/** Kinds of the stack's own Temporal server. */
export const temporalKinds = ['development', 'postgresql'] as const;
export type TemporalKind = (typeof temporalKinds)[number];

/** Options that say what to start, and where its state lies. */
export interface StackOptions {
  stateDir: string;
  /** Namespace of the control cluster that the operator looks at. */
  namespace: string;
  /** Start watcher and worker as well. */
  operator: boolean;
  /** For programs that start a stack: two of each, as in production. */
  doubled: boolean;
  /** For programs that start a stack: the watcher runs in the first worker. Default false. */
  inOne?: boolean;
  /** Forget the state of earlier runs. */
  fresh: boolean;
  /** Write `logs/audit.log`, one line for each request to the API server. */
  audit: boolean;
  /** Start the cluster autoscaler of the Kubernetes project as well. */
  autoscaler: boolean;
  /** Start the front as well, and install the CRDs of `cluster.k8s.io`. */
  front: boolean;
  /** Start Prometheus as well, with the rules of deploy/monitoring. */
  monitoring: boolean;
  /** Start a stand-in for the agents on Nodes that update them in place. */
  updateAgent: boolean;
  /** Which Temporal server the stack starts. */
  temporal: TemporalKind;
  /** `HOST:PORT` of a Temporal server that is there already. Absent: the stack starts its own. */
  temporalAddress?: string;
  /** For programs that start a stack: what its worker is given beside what it needs. */
  workerFlags: readonly string[];
  /**
   * For programs that start a stack: false for the time limits of an install, not those that let a
   * person watch how the work of a killed process goes on. Default true.
   */
  quickRecovery?: boolean;
  /**
   * For programs that start a stack: its machines have no cluster to join, and no Node. Default
   * false.
   */
  withoutTarget?: boolean;
  /**
   * For programs that start a stack: the flags of each of its workers, up to four, beside
   * `workerFlags`. Default one without any, or two with `doubled`.
   */
  workers?: readonly (readonly string[])[];
  /**
   * For programs that start a stack: a folder with what `npm run build` makes for the image. Its
   * watcher and worker run in the place of the sources.
   */
  image?: string;
  /** For programs that start a stack: only these components and jobs of it. Default all. */
  only?: readonly string[];
}

export const defaultStateDir = join(repository, '.millwright');

export const defaultOptions: StackOptions = {
  stateDir: defaultStateDir,
  namespace: 'default',
  operator: true,
  doubled: false,
  fresh: false,
  audit: false,
  autoscaler: false,
  front: false,
  monitoring: false,
  updateAgent: false,
  temporal: 'development',
  workerFlags: [],
};

/** Which Temporal server a stack uses: `elsewhere` is one that it does not start. */
export function temporalOf({
  options,
}: {
  options: Pick<StackOptions, 'temporal' | 'temporalAddress'>;
}): TemporalKind | 'elsewhere' {
  return options.temporalAddress === undefined ? options.temporal : 'elsewhere';
}

export const startUsage = `Usage: npm start -- [options]

Starts the local stack: etcd, the Kubernetes control plane, Temporal with its UI, the virtual cloud, and
Millwright's watcher and worker. Ctrl-C stops all of it. State is kept for the next start.

  --detach           go to the background once everything is ready; npm stop ends it
  --no-operator      leave out watcher and worker
  --fresh            forget cluster, workflows and VMs of earlier runs
  --keep             keep them (this is the default)
  --audit            log every request to the API server in logs/audit.log
  --autoscaler       start the cluster autoscaler as well; its first build takes 4 to 6 minutes
  --front            start the front as well: MachineDeployments of cluster.k8s.io, the API of Kubermatic
  --monitoring       start Prometheus as well, with the alert rules; its first build takes 3 minutes
  --update-agent     start a stand-in for the agents on Nodes that update them in place
  --namespace NAME   namespace that the operator looks at (default: default)
  --temporal KIND    development (default): Temporal's development server; postgresql: a production server
                     on a PostgreSQL that is installed on this machine
  --temporal-address HOST:PORT
                     use this Temporal server and its namespace "default"; none is started
  --state-dir DIR    where state and logs lie (default: .millwright); another folder is another stack
  --help             show this

Examples:
  npm start
  npm start -- --detach --audit
  npm start -- --fresh --no-operator
  npm start -- --state-dir /tmp/second
  npm start -- --autoscaler
  npm start -- --front
  npm start -- --monitoring
  npm start -- --update-agent
  npm start -- --temporal=postgresql
  npm start -- --temporal-address localhost:7233

More in docs/local-stack.md.`;

export type StartCommand = { help: true } | { help: false; detach: boolean; options: StackOptions };

/** Reads the command line of `npm start`. Throws an Error that names the fault. */
export function parseStartArguments(args: readonly string[]): StartCommand {
  const { values } = parseArgs({
    args: [...args],
    options: {
      detach: { type: 'boolean', default: false },
      'no-operator': { type: 'boolean', default: false },
      fresh: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      audit: { type: 'boolean', default: false },
      autoscaler: { type: 'boolean', default: false },
      front: { type: 'boolean', default: false },
      monitoring: { type: 'boolean', default: false },
      'update-agent': { type: 'boolean', default: false },
      namespace: { type: 'string', default: defaultOptions.namespace },
      temporal: { type: 'string' },
      'temporal-address': { type: 'string' },
      'state-dir': { type: 'string', default: defaultStateDir },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return { help: true };
  if (values.fresh && values.keep) throw new Error('--fresh and --keep exclude each other');
  return {
    help: false,
    detach: values.detach,
    options: {
      ...defaultOptions,
      stateDir: values['state-dir'],
      namespace: namespaceFrom(values.namespace),
      operator: !values['no-operator'],
      fresh: values.fresh,
      audit: values.audit,
      autoscaler: values.autoscaler,
      front: values.front,
      monitoring: values.monitoring,
      updateAgent: values['update-agent'],
      ...temporalFrom(values.temporal, values['temporal-address']),
    },
  };
}

function temporalFrom(
  kind: string | undefined,
  temporalAddress: string | undefined,
): Partial<Pick<StackOptions, 'temporal' | 'temporalAddress'>> {
  if (temporalAddress === undefined) return { temporal: temporalKindFrom(kind) };
  if (kind !== undefined) throw new Error('--temporal and --temporal-address exclude each other');
  const [, port] = /^[^:/\s]+:(\d+)$/.exec(temporalAddress) ?? [];
  if (port !== undefined && Number(port) > 0 && Number(port) < 65_536) return { temporalAddress };
  throw new Error(
    `--temporal-address: "${temporalAddress}" is not HOST:PORT, such as temporal.example:7233`,
  );
}

/** Throws an Error that names the fault. Default the development server. */
export function temporalKindFrom(value: string = defaultOptions.temporal): TemporalKind {
  const kind = temporalKinds.find((one) => one === value);
  if (kind !== undefined) return kind;
  throw new Error(`--temporal: "${value}" is not one of ${temporalKinds.join(', ')}`);
}

function namespaceFrom(value: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(value)) return value;
  throw new Error(
    `--namespace: "${value}" is not a namespace name: lower-case letters, digits and "-", at most 63, no "-" at the ends`,
  );
}
