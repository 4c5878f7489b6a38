/** What holds up a whole namespace: a stop, no leader, no worker, Temporal. */
import type { PauseReason } from '../../workflows/values/pauses.ts';
import type { Finding } from './finding.ts';
import type { Fleet, LeaseFact, NamespaceStop, ProcessFact, WarningFact } from './fleet.ts';
import { millwrightFor } from './millwright-line.ts';
import type { Trouble } from './trouble.ts';

/** A person is still at work on one that is younger. */
const stopPatienceMs = 3_600_000;
/** A new leader has it by then. */
const leaderPatienceMs = 60_000;

export function installFindings(fleet: Fleet): Finding[] {
  return [
    ...fleet.stops.flatMap((stop) => stopFindings(stop, fleet.now)),
    ...(fleet.leases ?? []).flatMap((lease) => leaderFindings(lease, fleet.now)),
    ...(fleet.leases ?? []).flatMap(pauseFindings),
    ...fleet.processes.flatMap(processFindings),
    ...temporalFindings(fleet),
    ...warningFindings(fleet.warnings),
  ];
}

function stopFindings({ namespace, reason, by, since }: NamespaceStop, now: number): Finding[] {
  if (now < since + stopPatienceMs) return [];
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

function leaderFindings({ namespace, name, holder, renewedAt }: LeaseFact, now: number): Finding[] {
  if (holder !== undefined || (renewedAt !== undefined && now < renewedAt + leaderPatienceMs)) {
    return [];
  }
  return [
    {
      trouble: 'worker-down',
      object: { kind: 'lease', namespace, name },
      cause: 'no watcher leads, so nothing is created and nothing is deleted',
      since: renewedAt,
      commands: ['kubectl get deployments -A -l app.kubernetes.io/component=watcher'],
    },
  ];
}

/** What the watcher itself saw; a stop has a finding of its own, and so has a watcher. */
const troublesOfPauses: Partial<Record<PauseReason, { trouble: Trouble; cause: string }>> = {
  worker: { trouble: 'worker-down', cause: 'no worker takes up what there is to do' },
  temporal: { trouble: 'temporal-down', cause: 'Temporal does not answer the watcher' },
  target: {
    trouble: 'api-server-down',
    cause:
      'the API server of the Nodes does not answer: machines keep their phase, none is replaced',
  },
};

function pauseFindings({ namespace, name, pauses }: LeaseFact): Finding[] {
  return pauses.flatMap(({ reason, from, until }) => {
    const known = troublesOfPauses[reason];
    if (!known || until !== undefined) return [];
    return [{ ...known, object: { kind: 'lease', namespace, name }, since: from, commands: [] }];
  });
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

function temporalFindings({ temporal }: Fleet): Finding[] {
  if (!temporal) return [];
  const { address, namespace, failure, pollers = {} } = temporal;
  const command = `temporal operator cluster health --address ${address}`;
  if (failure !== undefined) {
    const object = { kind: 'temporal', name: address };
    const cause = `Temporal at ${address} does not answer: ${failure}`;
    return [{ trouble: 'temporal-down', object, cause, commands: [command] }];
  }
  const unserved = Object.entries(pollers).filter(([, count]) => count === 0);
  return unserved.map(([queue]) => ({
    trouble: 'worker-down',
    object: { kind: 'queue', name: queue },
    cause: 'no worker polls this task queue',
    commands: [
      `temporal task-queue describe --address ${address} --namespace ${namespace} --task-queue ${queue}`,
    ],
  }));
}

const troublesOfWarnings: Readonly<Record<string, { trouble: Trouble; least: number }>> = {
  TooManyOrphans: { trouble: 'orphan', least: 1 },
  InstancesMayBeLeft: { trouble: 'orphan', least: 1 },
  // A run that a person terminates is restored as well; a lost database is more than that.
  WorkflowRestored: { trouble: 'temporal-lost', least: 3 },
};

/** Reasons of the Events that are asked for. */
export const askedWarnings = Object.keys(troublesOfWarnings);

/** One for all Events of a kind, the latest. */
function warningFindings(warnings: readonly WarningFact[]): Finding[] {
  const newest = warnings.toSorted((a, b) => b.at - a.at);
  return newest.flatMap((warning, index) => {
    const isAlike = ({ namespace, reason }: WarningFact): boolean =>
      namespace === warning.namespace && reason === warning.reason;
    const known = troublesOfWarnings[warning.reason];
    if (!known || newest.findIndex(isAlike) !== index) return [];
    const count = newest.filter(isAlike).length;
    return count < known.least ? [] : [warningFinding(warning, known.trouble)];
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
