/** All that is known of an install: what the findings follow from. */
import type { Stop } from '../../activities/kube/objects/global-stop.ts';
import type { NotedPause } from '../../activities/kube/objects/pauses.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';

/** Times in milliseconds. */
export interface Fleet {
  now: number;
  /** Undefined: all. */
  namespace: string | undefined;
  deployments: readonly MachineDeployment[];
  sets: readonly MachineSet[];
  machines: readonly Machine[];
  classes: readonly MachineClass[];
  stops: readonly NamespaceStop[];
  /** Undefined: not to be read, so that nothing is known of who leads. */
  leases: readonly LeaseFact[] | undefined;
  /** Of watcher and worker, by the chart. Empty also where there are none in the cluster. */
  processes: readonly ProcessFact[];
  /** Warnings about the install, as Events keep them for an hour. */
  warnings: readonly WarningFact[];
  timeouts: Timeouts;
  /** Undefined: it was not asked. */
  temporal: TemporalFacts | undefined;
  /** Lists that the API server refused to this person, such as `Leases`. */
  unread: readonly string[];
}

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
  pauses: readonly NotedPause[];
}

export interface ProcessFact {
  namespace: string;
  name: string;
  component: string;
  wanted: number;
  available: number;
}

export interface WarningFact {
  namespace: string;
  reason: string;
  object: { kind: string; name: string };
  message: string;
  at: number;
}

/** Of machines that say nothing of their own. Seconds. */
export interface Timeouts {
  creation: number;
  health: number;
  drain: number;
}

/** As MCM has them, and our flags. */
export const defaultTimeouts: Timeouts = { creation: 1_200, health: 600, drain: 7_200 };

export interface TemporalFacts {
  address: string;
  namespace: string;
  /** Why it did not answer. */
  failure?: string | undefined;
  /** How many processes poll; by name of the queue. Absent where it did not answer. */
  pollers?: Readonly<Record<string, number>> | undefined;
  /** Milliseconds that its answer took. */
  tookMs?: number | undefined;
}

/** Those of the namespace of an object, in the order of time. */
export function pausesIn({ leases = [] }: Fleet, namespace: string | undefined): NotedPause[] {
  return leases.filter((lease) => lease.namespace === namespace).flatMap(({ pauses }) => pauses);
}
