/** One write of one of our processes, as rules get it. */
import type { KubeObject } from '../../../../kube/client/client.ts';
import type { Target } from '../../../support/api-server/paths.ts';
import type { Cluster } from '../../world/kube-client.ts';
import type { Install } from '../../world/world.ts';
import type { Evidence } from '../evidence.ts';
import type { JudgedObject } from '../objects.ts';
import type { ClusterPast } from '../past/cluster-past.ts';

/** A write of a process that an API server carried out. */
export interface JudgedWrite {
  process: { name: string };
  cluster: Cluster;
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body: unknown;
  /** Of an attempt that was over before it sent this. */
  lateActivity?: string | undefined;
  /** The network brought this call twice, and this is the second time. Default false. */
  isAgain?: boolean;
  /** Undefined where there was none. */
  before: KubeObject | undefined;
  after: KubeObject | undefined;
  /** When the call was sent, milliseconds since 1970; default now. */
  sentAt?: number;
}

export interface Case {
  evidence: Evidence;
  install: Install;
  write: JudgedWrite;
  target: Target;
  /** Of the cluster that was written to. */
  past: ClusterPast;
  before: JudgedObject | undefined;
  after: JudgedObject | undefined;
  now: number;
  /** What it was decided by may have been read at any moment from then on. */
  since: number;
}

/** For example `one-worker-1 deleted Machine pool-a`. */
export function textOf({ write, target }: Case, verb: string): string {
  return `${write.process.name} ${verb} ${target.resource.kind} ${target.name}`;
}
