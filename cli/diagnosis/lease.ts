/** What the Lease of a watcher says: whether one leads, and what it has noted there. */
import type { CertificateEnd } from '../../kube/objects/certificate-ends.ts';
import { scheduleIdOf } from '../../workflows/contracts/workflow-ids.ts';
import type { PauseReason } from '../../workflows/values/pauses.ts';
import type { Finding } from './finding.ts';
import type { Install, LeaseFact } from '../install/install.ts';
import { isUnused } from '../install/install.ts';
import { millwrightFor } from '../command-line/millwright-line.ts';
import type { Trouble } from './trouble.ts';

/** A new leader has it by then. */
const leaderPatienceMs = 60_000;
/** As the alert has it: by then the checks have compared objects, workflows and instances. */
const restoreShownMs = 3_600_000;
/** As the alert has it. */
const certificateNoticeMs = 7 * 86_400_000;

export function leaseFindings(lease: LeaseFact, install: Install): Finding[] {
  return [
    ...standstillOf(lease, install),
    ...restoreFindings(lease, install),
    ...(lease.certificates ?? []).flatMap((end) => certificateFindings(end, { lease, install })),
  ];
}

export function standstillOf(lease: LeaseFact, install: Install): Finding[] {
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
    commands: ['kubectl get deployments -A -l app.kubernetes.io/component=watcher'],
  };
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
  const watchers = install.processes.filter(({ component }) => component === 'watcher');
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
