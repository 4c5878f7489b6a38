/** Question of a round for each check of a namespace: would a run have something to do? */
import type { ActivityDependencies } from '../../activities/runtime/dependencies.ts';
import type { CheckMetrics } from './check-metrics.ts';
import type { CheckSchedule } from './check-schedule.ts';
import type { CheckSettings } from './checks.ts';

/** Something that a run would act on. */
export interface Finding {
  /** The same for as long as the same is to be done. */
  key: string;
  /** For people: why a run is started. */
  why: string;
}

/** Changes nothing. Undefined: a run would have nothing to do. */
export type Find = () => Promise<Finding | undefined>;

export interface FinderParts {
  settings: CheckSettings;
  dependencies: Pick<
    ActivityDependencies,
    | 'control'
    | 'target'
    | 'targetCluster'
    | 'machines'
    | 'machineSets'
    | 'namespace'
    | 'policies'
    | 'disrupted'
    | 'defaults'
    | 'stop'
    | 'activeWatcher'
    | 'pauses'
    | 'workflows'
    | 'leasePlace'
  >;
  /** Of the check. */
  schedule: CheckSchedule;
  metrics: CheckMetrics;
  /** Aborted when the namespace is served no more. */
  signal: AbortSignal;
  /** Namespaces that this process serves now. */
  namespaces(): number;
}
