/** What a worker asks between two runs of a check: would a run have something to do? */
import type { ActivityDependencies } from '../../activities/runtime/dependencies.ts';
import type { CheckSettings } from './checks.ts';
import type { ProbeMetrics } from './check-metrics.ts';
import type { CheckSchedule } from './check-schedule.ts';

/** Something that a run would act on. */
export interface Finding {
  /** The same for as long as the same is to be done. */
  key: string;
  /** In the log: why a run is started. */
  why: string;
}

export interface Probe {
  /** Changes nothing. Undefined: a run would have nothing to do. */
  find(): Promise<Finding | undefined>;
  /** Until the next one, if not the period of the check. */
  nextSeconds?(): number | undefined;
  /** Between two runs for the same finding. Default: the period of the Schedule. */
  longestWaitSeconds?: number;
}

export interface ProbeParts {
  settings: CheckSettings;
  dependencies: Pick<
    ActivityDependencies,
    | 'control'
    | 'target'
    | 'targetCluster'
    | 'machines'
    | 'defaults'
    | 'stop'
    | 'activeWatcher'
    | 'pauses'
    | 'workflows'
    | 'leasePlace'
  >;
  /** Of the check. */
  schedule: CheckSchedule;
  metrics: ProbeMetrics;
  /** Aborted when the process ends. */
  signal: AbortSignal;
}
