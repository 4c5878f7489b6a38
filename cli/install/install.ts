/** All that is known of an install: what the findings follow from. */
import type { Stop } from '../../kube/objects/global-stop.ts';
import type { CertificateEnd } from '../../kube/objects/certificate-ends.ts';
import type { InstallNote } from '../../kube/objects/install-note.ts';
import type { NotedPause } from '../../kube/objects/pauses.ts';
import type { WorkerVersion } from '../../workers/temporal/worker-version.ts';
import type { DisruptionPolicy } from '../../workflows/api/disruption-policy.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { InstallFlags } from './flags.ts';

/** Times in milliseconds. */
export interface Install {
  now: number;
  /** Undefined: all. */
  namespace: string | undefined;
  names: InstallNames;
  deployments: readonly MachineDeployment[];
  sets: readonly MachineSet[];
  machines: readonly Machine[];
  classes: readonly MachineClass[];
  /** Empty also where their CRD is not installed. */
  policies: readonly DisruptionPolicy[];
  stops: readonly NamespaceStop[];
  /** Undefined: not to be read, so that nothing is known of who leads. */
  leases: readonly LeaseFact[] | undefined;
  /** Deployments of the chart. Empty also where there are none in the cluster. */
  processes: readonly ProcessFact[];
  /** Warnings about the install, as Events keep them for an hour. */
  warnings: readonly WarningFact[];
  timeouts: Timeouts;
  /** Undefined: it was not asked. */
  temporal: TemporalFacts | undefined;
  /** Lists that the API server refused to this person, such as `Leases`. */
  unread: readonly string[];
}

type InstallNames = Pick<InstallFlags, 'name' | 'clusterName' | 'isFleet'>;

export interface NamespaceStop extends Stop {
  namespace: string;
}

export interface LeaseFact {
  /** That is served. */
  namespace: string;
  name: string;
  /** Undefined: it is free. */
  holder: string | undefined;
  /** When it was renewed last. */
  renewedAt: number | undefined;
  /** Since when the namespace is being deleted. Known where the Lease is free. */
  goingSince?: number | undefined;
  pauses: readonly NotedPause[];
  /** Notes of the watcher that led last on itself. */
  install?: InstallNote | undefined;
  /** MCM acts in place of a watcher, by this Lease of its own. */
  mcm?: { holder: string; lease: string } | undefined;
  /** When the watcher saw that etcd was restored. */
  restoredAt?: number | undefined;
  /** Certificates in files of the watcher that led last. */
  certificates?: readonly CertificateEnd[];
}

export interface ProcessFact {
  namespace: string;
  name: string;
  component: string;
  /** Also a worker with the watcher in it. */
  isWatcher: boolean;
  wanted: number;
  available: number;
}

/** Reasons of Events about an install, not about one object. */
export const warningReasons = [
  'TooManyOrphans',
  'InstancesMayBeLeft',
  'NamespaceNotServed',
  'WorkflowRestored',
] as const;

export interface WarningFact {
  namespace: string;
  reason: (typeof warningReasons)[number];
  object: { kind: string; name: string };
  message: string;
  at: number;
}

/** Defaults for machines that say nothing of their own. Seconds. */
export interface Timeouts {
  creation: number;
  health: number;
  drain: number;
  inPlaceUpdate: number;
}

/** As MCM has them, and our flags. */
export const defaultTimeouts: Timeouts = {
  creation: 1_200,
  health: 600,
  drain: 7_200,
  inPlaceUpdate: 1_200,
};

export interface TemporalFacts {
  address: string;
  namespace: string;
  /** Why it did not answer, or did not answer this command. */
  failure?: string | undefined;
  /** It answered and is another one than that of the watcher, which has this. */
  isOther?: { address: string; namespace: string } | undefined;
  /** It answered: the namespace or the credentials are not those of the install. */
  isRefused?: boolean | undefined;
  /** The address is that of the flags of the watcher, which may hold inside of a cluster alone. */
  isOfWatcher?: boolean | undefined;
  /** How many processes poll; by name of the queue. Absent where it did not answer. */
  pollers?: Readonly<Record<string, number>> | undefined;
  /** Absent where the queue of the install is not known. */
  release?: ReleaseFacts | undefined;
  /** Milliseconds that its answer took. */
  tookMs?: number | undefined;
}

/** How the code of the workers does with their workflows. */
export interface ReleaseFacts {
  /** Task queue of the workflows. */
  queue: string;
  /** Gets the workflow tasks. Undefined: workers without a version get them. */
  current: WorkerVersion | undefined;
  /** Version of each worker that polls. */
  polling: readonly (WorkerVersion | undefined)[];
  /** Runs that failed within the last hour; each began anew from its object. */
  begunAnew: TroubledRuns | undefined;
  /** Runs whose tasks fail again and again, so that they stand still. */
  failing: TroubledRuns | undefined;
}

export interface TroubledRuns {
  /** Such as `3`, or `100 or more`. */
  count: string;
  since: number | undefined;
  /** Id of one of them. */
  workflowId: string;
  /** Message of its failure. */
  words: string;
}

/** Those of the namespace of an object. */
export function pausesIn({ leases = [] }: Install, namespace: string | undefined): NotedPause[] {
  return leases
    .filter((lease) => lease.namespace === namespace)
    .flatMap((lease) => [...lease.pauses, ...leaderlessPause(lease)]);
}

/** The next leader notes it: nothing was done since the one before it was there last. */
function leaderlessPause({ holder, renewedAt }: LeaseFact): NotedPause[] {
  const isLed = holder !== undefined || renewedAt === undefined;
  return isLed ? [] : [{ reason: 'watcher', from: renewedAt }];
}

/**
 * That this command gets no answer says nothing of the install: it is refused, or the watcher gets
 * one at the same address.
 */
export function isUnreachableFromHere({ temporal, leases = [] }: Install): boolean {
  if (temporal?.failure === undefined) return false;
  if (temporal.isRefused === true) return true;
  return temporal.isOfWatcher === true && leases.some(seesTemporal);
}

export const seesTemporal = (lease: LeaseFact): boolean => sees(lease, 'temporal');
export const seesWorker = (lease: LeaseFact): boolean => sees(lease, 'worker');

/** A watcher that leads notes on its Lease what it has not seen for a while. */
function sees({ holder, pauses }: LeaseFact, what: 'temporal' | 'worker'): boolean {
  const isAway = pauses.some(({ reason, until }) => reason === what && until === undefined);
  return holder !== undefined && !isAway;
}

/** Neither objects nor processes of ours: a namespace of others, or a name that was mistyped. */
export function isUnused({ deployments, sets, machines, classes, ...install }: Install): boolean {
  const objects = [deployments, sets, machines, classes, install.processes];
  const isUnled = install.leases?.every(
    ({ holder, renewedAt, mcm }) => holder === undefined && renewedAt === undefined && !mcm,
  );
  return isUnled === true && objects.every((list) => list.length === 0);
}
