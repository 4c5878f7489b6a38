/** Finds what holds up a whole namespace: a stop, no leader, no worker, Temporal. */
import type { Finding } from './finding.ts';
import type {
  Install,
  NamespaceStop,
  ProcessFact,
  WarningFact,
  LeaseFact,
  ReleaseFacts,
  TemporalFacts,
  TroubledRuns,
} from '../install/install.ts';
import { isUnused, isUnreachableFromHere } from '../install/install.ts';
import { millwrightFor } from '../command-line/millwright-line.ts';
import type { Trouble } from './trouble.ts';
import type { CertificateEnd } from '../../kube/objects/certificate-ends.ts';
import { scheduleIdOf } from '../../workflows/contracts/workflow-ids.ts';
import type { PauseReason } from '../../workflows/values/pauses.ts';
import { lineFor } from '../../workers/temporal/current-version.ts';
import { isSameVersion, polls } from '../../workers/temporal/queue-status.ts';
import type { WorkerVersion } from '../../workers/temporal/worker-version.ts';

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

/** Finds what keeps Millwright from acting on all objects of the namespace. */
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

/** A new leader has it by then. */
const leaderPatienceMs = 60_000;
/** As the alert has it: by then the checks have compared objects, workflows and instances. */
const restoreShownMs = 3_600_000;
/** As the alert has it. */
const certificateNoticeMs = 7 * 86_400_000;

/** Reads the Lease of a watcher: whether one leads, and what it has noted there. */
function leaseFindings(lease: LeaseFact, install: Install): Finding[] {
  return [
    ...standstillOf(lease, install),
    ...restoreFindings(lease, install),
    ...(lease.certificates ?? []).flatMap((end) => certificateFindings(end, { lease, install })),
  ];
}

function standstillOf(lease: LeaseFact, install: Install): Finding[] {
  if (isUnused(install)) return [];
  return [...leaderFindings(lease, install.now), ...pauseFindings(lease)];
}

function leaderFindings(lease: LeaseFact, now: number): Finding[] {
  const { namespace, name, holder, renewedAt } = lease;
  if (holder !== undefined || (renewedAt !== undefined && now < renewedAt + leaderPatienceMs)) {
    return [];
  }
  return [
    {
      trouble: 'worker-down',
      object: { kind: 'lease', namespace, name },
      since: renewedAt,
      ...leaderless(lease),
    },
  ];
}

/** Beside MCM, and after a way back to it, a watcher waits, and machines come and go. */
function leaderless(lease: LeaseFact): Pick<Finding, 'cause' | 'commands'> {
  const { namespace, mcm, goingSince } = lease;
  if (mcm) {
    return {
      cause: `no watcher leads: MCM acts, ${mcm.holder} holds Lease ${mcm.lease}`,
      commands: [millwrightFor('migrate check', namespace)],
    };
  }
  if (goingSince !== undefined) {
    return {
      cause: `namespace ${namespace} is being deleted, and no watcher leads: with it went watcher and worker, or their rights`,
      commands: [
        '# with the values of before: an install that outlasts the namespace lets its machines go',
        `helm install millwright CHART -n OTHER -f VALUES --set machines.namespace=${namespace},rbac.clusterWide=true`,
      ],
    };
  }
  return {
    cause: 'no watcher leads, so nothing is created and nothing is deleted',
    commands: ['kubectl get deployments -A -l app.kubernetes.io/name=millwright'],
  };
}

/** Reports what the watcher itself saw; a stop has a finding of its own, and so has a watcher. */
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

function restoreFindings({ namespace, name, restoredAt }: LeaseFact, install: Install): Finding[] {
  if (restoredAt === undefined || install.now >= restoredAt + restoreShownMs) return [];
  return [
    {
      trouble: 'restored-etcd',
      object: { kind: 'lease', namespace, name },
      cause:
        'etcd was restored to an earlier moment: machines that were made since have no object, and what was deleted since is back',
      since: restoredAt,
      commands: restoreCommands(namespace, install),
    },
  ];
}

/** The flags that are known are those of one install; which one serves the namespace is not. */
function restoreCommands(namespace: string, install: Install): string[] {
  const watchers = install.processes.filter(({ isWatcher }) => isWatcher);
  if (install.namespace === undefined && watchers.length > 1) {
    return [
      '# names the Schedule that has to stand still, so that no instance is deleted',
      millwrightFor('stuck', namespace),
    ];
  }
  const scheduleId = orphanScheduleOf(namespace, install);
  return [
    '# keeps the search from deleting instances until it is known which may go',
    `temporal schedule toggle --schedule-id ${scheduleId} --pause --reason "etcd was restored"`,
  ];
}

function orphanScheduleOf(namespace: string, { names }: Install): string {
  const { name, clusterName, isFleet } = names;
  return scheduleIdOf('orphans', {
    name: name || namespace,
    clusterName: clusterName || undefined,
    ...(isFleet && { fleetNamespace: namespace }),
  });
}

interface LeaseIn {
  lease: LeaseFact;
  install: Install;
}

/** A process goes on with a connection that it has, and gets no other one. */
function certificateFindings(
  { file, until }: CertificateEnd,
  { lease, install }: LeaseIn,
): Finding[] {
  if (install.now < until - certificateNoticeMs) return [];
  const hasEnded = install.now >= until;
  return [
    {
      trouble: 'certificate-expiry',
      object: { kind: 'lease', namespace: lease.namespace, name: lease.name },
      cause: `the certificate in ${file} of watcher and worker ${hasEnded ? 'has ended' : 'ends'}`,
      since: hasEnded ? until : until - certificateNoticeMs,
      ...(!hasEnded && { until, sequel: 'watcher and worker are cut off' }),
      commands: certificateCommands({ lease, install }),
    },
  ];
}

function certificateCommands({ lease, install }: LeaseIn): string[] {
  const [process] = install.processes;
  const kubectl = `kubectl -n ${process?.namespace ?? lease.namespace}`;
  const ours = '-l app.kubernetes.io/name=millwright';
  return [
    '# the Secrets that the pods have their files from',
    `${kubectl} get deployments ${ours} -o jsonpath='{..volumes[*].secret.secretName}'`,
    '# once it is renewed; by itself within three minutes',
    `${kubectl} rollout restart deployment ${ours}`,
  ];
}

/** Temporal: whether it answers, whether workers poll, and whether their code goes on. */
function temporalFindings(install: Install): Finding[] {
  const { temporal } = install;
  if (!temporal) return [];
  const { address, failure, release } = temporal;
  if (failure !== undefined) {
    if (isUnreachableFromHere(install)) return [];
    const object = { kind: 'temporal', name: address };
    const cause = `Temporal at ${address} does not answer: ${failure}`;
    const command = `temporal operator cluster health --address ${address}`;
    return [{ trouble: 'temporal-down', object, cause, commands: [command] }];
  }
  return [
    ...queueFindings(temporal),
    ...(release ? releaseFindings({ release, temporal, install }) : []),
  ];
}

function placeFlags({ address, namespace }: TemporalFacts): string {
  return `--address ${address} --namespace ${namespace}`;
}

function queueFindings(temporal: TemporalFacts): Finding[] {
  const unserved = Object.entries(temporal.pollers ?? {}).filter(([, count]) => count === 0);
  return unserved.map(([queue]) => ({
    trouble: 'worker-down',
    object: { kind: 'queue', name: queue },
    cause: 'no worker polls this task queue',
    commands: [`temporal task-queue describe ${placeFlags(temporal)} --task-queue ${queue}`],
  }));
}

interface ObservedRelease {
  release: ReleaseFacts;
  temporal: TemporalFacts;
  install: Install;
}

function releaseFindings(observed: ObservedRelease): Finding[] {
  const { begunAnew, failing } = observed.release;
  return [
    ...versionFindings(observed),
    ...runsFindings(observed, failing, 'workflows that stand still because their tasks fail'),
    ...runsFindings(observed, begunAnew, 'runs that failed within the hour and began anew'),
  ];
}

/** That no worker polls at all is the finding of `queueFindings`. */
function versionFindings(observed: ObservedRelease): Finding[] {
  const { queue, current, polling } = observed.release;
  if (polling.length === 0 || polls(current, observed.release)) return [];
  const idle = [...new Set(polling.map(nameOf))].join(', ');
  return [
    {
      trouble: 'bad-release',
      object: { kind: 'queue', name: queue },
      cause: `all work goes to ${nameOf(current)}, but none of them polls; ${idle} get no work`,
      commands: wayBack(observed),
    },
  ];
}

function nameOf(version: WorkerVersion | undefined): string {
  if (!version) return 'workers without a version';
  return `workers of version ${version.buildId} of ${version.deploymentName}`;
}

function runsFindings(
  observed: ObservedRelease,
  runs: TroubledRuns | undefined,
  which: string,
): Finding[] {
  if (!runs) return [];
  const { count, since, workflowId, words } = runs;
  const show = `temporal workflow show ${placeFlags(observed.temporal)} --workflow-id ${workflowId}`;
  return [
    {
      trouble: 'bad-release',
      object: { kind: 'queue', name: observed.release.queue },
      cause: `${which}: ${count}, such as ${workflowId}: ${words.replaceAll(/\s+/g, ' ')}`,
      since,
      commands: [show, ...wayBack(observed)],
    },
  ];
}

function wayBack({ release, temporal, install }: ObservedRelease): string[] {
  const { current } = release;
  const describe = `temporal worker deployment describe ${placeFlags(temporal)} --name`;
  const others = othersOf(release).map((other) => lineFor(other, temporal.namespace));
  const helm = `--namespace ${install.processes[0]?.namespace ?? install.namespace ?? 'default'}`;
  return [
    ...(current ? [`${describe} ${current.deploymentName}`] : []),
    ...(others.length > 0
      ? ['# gives all work to other workers that poll: those of the release before', ...others]
      : ['# back to the release before', `helm rollback millwright ${helm}`]),
  ];
}

/** Other versions than the current one, whose workers are there, each once. */
function othersOf({ current, polling }: ReleaseFacts): WorkerVersion[] {
  const unversioned = current && { ...current, buildId: 'unversioned' };
  const others = polling.flatMap((one) =>
    isSameVersion(one, current) ? [] : (one ?? unversioned ?? []),
  );
  return others.filter(
    (one, index) => others.findIndex((known) => isSameVersion(known, one)) === index,
  );
}
