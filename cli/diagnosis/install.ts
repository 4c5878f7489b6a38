/** What holds up a whole namespace: a stop, no leader, no worker, Temporal. */
import type { Finding } from './finding.ts';
import type { Install, NamespaceStop, ProcessFact, WarningFact } from '../install/install.ts';
import { leaseFindings, standstillOf } from './lease.ts';
import { millwrightFor } from '../command-line/millwright-line.ts';
import { temporalFindings } from './temporal.ts';
import type { Trouble } from './trouble.ts';

export interface Patience {
  /** A person is still at work on a stop that has stood for less. Milliseconds. */
  stopMs: number;
}

export const defaultPatience: Patience = { stopMs: 3_600_000 };

export function installFindings(install: Install, { stopMs }: Patience): Finding[] {
  return [
    ...install.stops.flatMap((stop) => stopFindings(stop, install.now - stopMs)),
    ...(install.leases ?? []).flatMap((lease) => leaseFindings(lease, install)),
    ...install.processes.flatMap(processFindings),
    ...temporalFindings(install),
    ...warningFindings(install.warnings.filter((warning) => isShown(warning, install))),
  ];
}

/** What keeps Millwright from acting on all objects of the namespace. */
export function standstillFindings(install: Install): Finding[] {
  return [
    ...install.stops.flatMap((stop) => stopFindings(stop, Infinity)),
    ...(install.leases ?? []).flatMap((lease) => standstillOf(lease, install)),
    ...install.processes.flatMap(processFindings),
  ];
}

function stopFindings({ namespace, reason, by, since }: NamespaceStop, latest: number): Finding[] {
  if (since > latest) return [];
  const author = by === undefined ? '' : ` by ${by}`;
  return [
    {
      trouble: 'stop-left-on',
      object: { kind: 'configmap', namespace, name: 'millwright-stop' },
      cause: `everything is stopped${author}: ${reason}`,
      since,
      commands: ['# when it is over', millwrightFor('start', namespace)],
    },
  ];
}

function processFindings({ namespace, name, component, ...counts }: ProcessFact): Finding[] {
  const { wanted, available } = counts;
  if (available > 0) return [];
  const cause =
    wanted === 0
      ? `the ${component} is scaled to 0`
      : `none of ${wanted} pods of the ${component} is available`;
  return [
    {
      trouble: 'worker-down',
      object: { kind: 'deployment', namespace, name },
      cause,
      commands: [`kubectl -n ${namespace} describe deployment ${name}`],
    },
  ];
}

const troublesOfWarnings: Readonly<
  Record<WarningFact['reason'], { trouble: Trouble; least: number }>
> = {
  TooManyOrphans: { trouble: 'orphan', least: 1 },
  InstancesMayBeLeft: { trouble: 'orphan', least: 1 },
  // A run that a person terminates is restored as well; a lost database is more than that.
  NamespaceNotServed: { trouble: 'worker-down', least: 1 },
  WorkflowRestored: { trouble: 'temporal-lost', least: 3 },
};

/** As long as Kubernetes keeps Events by default. Others keep them for days. */
const warningShownMs = 3_600_000;

/** A namespace that a watcher leads has been served again since. */
const notServedShownMs = 5 * 60_000;

function isShown({ reason, namespace, at }: WarningFact, { now, leases = [] }: Install): boolean {
  const isLed = leases.some((lease) => lease.namespace === namespace && lease.holder !== undefined);
  const isOver = reason === 'NamespaceNotServed' && isLed;
  return at > now - (isOver ? notServedShownMs : warningShownMs);
}

/** One for all Events of a kind, the latest. */
function warningFindings(warnings: readonly WarningFact[]): Finding[] {
  const newest = warnings.toSorted((a, b) => b.at - a.at);
  return newest.flatMap((warning, index) => {
    const isAlike = ({ namespace, reason }: WarningFact): boolean =>
      namespace === warning.namespace && reason === warning.reason;
    const known = troublesOfWarnings[warning.reason];
    if (newest.findIndex(isAlike) !== index) return [];
    const objects = new Set(
      newest.filter(isAlike).map(({ object: { kind, name } }) => `${kind}/${name}`),
    );
    return objects.size < known.least ? [] : [warningFinding(warning, known.trouble)];
  });
}

function warningFinding(warning: WarningFact, trouble: Trouble): Finding {
  const { namespace, reason, object, message, at } = warning;
  return {
    trouble,
    object: { kind: object.kind.toLowerCase(), namespace, name: object.name },
    cause: message,
    since: at,
    commands: [`kubectl -n ${namespace} get events --field-selector reason=${reason}`],
  };
}
