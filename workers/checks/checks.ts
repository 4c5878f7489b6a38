/**
 * The table of the safety checks: what runs, how often a round checks whether it is needed, and
 * what the Temporal UI says of it.
 */
import type {
  WorkflowCheck,
  OrphanCheck,
  OvershootCheck,
  ReachabilityCheck,
  UnmanagedNodesCheck,
} from '../../workflows/contracts/safety-activities.ts';
import type { Config } from '../config/config.ts';
import type { Identity } from '../temporal/identity.ts';

export type CheckSettings = Pick<Config, 'machine' | 'safety' | 'timeouts'> & {
  namespace: string;
  identity: Identity;
  /** Converter that encrypts inputs. */
  temporal: Pick<Config['temporal'], 'payloadKeys'>;
};

export interface Check {
  /** A part of the id of its schedule, see `scheduleIdOf`. */
  name: (typeof checkNames)[number];
  /** Function in workflows/index.ts. */
  workflow: string;
  /** Between two checks by rounds, which start a run when there is something to do. */
  periodSeconds: number;
  /** At most so long after a run that left the finding as it was comes the next one. */
  longestWaitSeconds: number;
  /**
   * Of the workflow, which gets the cluster too. Names of Secrets and their content have no place
   * here: it stands in each history.
   */
  input: object;
  /** In the list of workflows. */
  summary: string;
  /** Markdown, on the page of each run. */
  details: string;
  /** Such a schedule is taken away. */
  isOff: boolean;
}

/** As long as the activities of a run may take. */
export const longestCheckMs = 120_000;
/** Temporal's shortest interval. */
const shortestSeconds = 1;

/** The Schedule of rounds, beside those of the checks: see `scheduleIdOf`. */
export const roundsName = 'all';

/** For who takes the schedules away without knowing how they are set. */
export const checkNames = [
  'orphans',
  'overshoot',
  'lost-workflows',
  'unmanaged-nodes',
  'reachability',
] as const;

export function checksOf(settings: CheckSettings): Check[] {
  const all = [orphans, overshoot, entities, unmanagedNodes, reachability];
  return all.map((check) => check(settings));
}

/** Between two rounds: the shortest period of a check. */
export function roundSecondsOf(settings: Omit<CheckSettings, 'namespace'>): number {
  const checks = checksOf({ ...settings, namespace: '' }).filter(({ isOff }) => !isOff);
  return Math.min(...checks.map(({ periodSeconds }) => periodSeconds));
}

const longestWaitSeconds = 6 * 3_600;

function times(flagSeconds: number): Pick<Check, 'periodSeconds' | 'longestWaitSeconds'> {
  return { periodSeconds: Math.max(flagSeconds, shortestSeconds), longestWaitSeconds };
}

function orphans({ namespace, identity: { cluster }, safety }: CheckSettings): Check {
  const { mode, maxDeletions, minAgeSeconds } = safety.orphans;
  const isOff = mode === 'off';
  const input: OrphanCheck = {
    namespace,
    cluster,
    mode: isOff ? 'report' : mode,
    maxDeletions,
    minAgeSeconds,
  };
  return {
    name: 'orphans',
    workflow: 'safetyOrphans',
    ...times(safety.orphanPeriodSeconds),
    input,
    summary: `Instances without a Machine in ${namespace}`,
    details:
      'Lists the instances of every cloud account that a MachineClass names, and compares them with the Machines. What two runs agree on is deleted. The result is the report. docs/safety.md',
    isOff,
  };
}

function overshoot(settings: CheckSettings): Check {
  const { namespace, safety } = settings;
  return {
    name: 'overshoot',
    workflow: 'safetyOvershoot',
    ...times(safety.overshootingPeriodSeconds),
    input: overshootInput(settings),
    summary: `MachineSets with too many machines in ${namespace}`,
    details:
      'Freezes MachineSets that have far more machines than were asked for, and thaws them when that is over. The result is the report. docs/safety.md',
    isOff: false,
  };
}

export function overshootInput({ namespace, safety: { up, down } }: CheckSettings): OvershootCheck {
  return { namespace, up, down };
}

function entities({ namespace, safety }: CheckSettings): Check {
  const input: WorkflowCheck = { namespace };
  return {
    name: 'lost-workflows',
    workflow: 'safetyLostWorkflows',
    ...times(safety.entitiesPeriodSeconds),
    input,
    summary: `Objects and workflows of ${namespace} compared`,
    details:
      'Starts the workflows of Machines, MachineSets and MachineDeployments that do not run, and signals those whose object is gone. The result is the report. docs/safety.md',
    isOff: false,
  };
}

function unmanagedNodes(settings: CheckSettings): Check {
  const { namespace, safety } = settings;
  return {
    name: 'unmanaged-nodes',
    workflow: 'safetyUnmanagedNodes',
    ...times(safety.orphanPeriodSeconds),
    input: unmanagedNodesInput(settings),
    summary: `Nodes without a Machine in ${namespace}`,
    details:
      'Marks Nodes that no Machine knows of with the annotation not-managed-by-mcm and takes our finalizer off them. docs/safety.md',
    isOff: false,
  };
}

export function unmanagedNodesInput(settings: CheckSettings): UnmanagedNodesCheck {
  const { namespace, machine, safety } = settings;
  const { unmanagedNodesSelector: selector } = safety;
  const { creationTimeoutSeconds } = machine;
  return { namespace, creationTimeoutSeconds, ...(selector !== '' && { selector }) };
}

function reachability(settings: CheckSettings): Check {
  const { namespace, safety } = settings;
  return {
    name: 'reachability',
    workflow: 'safetyReachability',
    ...times(safety.reachability.periodSeconds),
    // Shorter than a run of an outage, so that there is nearly always one that a search finds.
    longestWaitSeconds: 300,
    input: reachabilityInput(settings),
    summary: `API servers of ${namespace}`,
    details:
      'Asks both API servers. A run stays while one of them does not answer. The result is the report. docs/safety.md',
    isOff: false,
  };
}

export function reachabilityInput({ namespace, safety }: CheckSettings): ReachabilityCheck {
  const { timeoutSeconds, periodSeconds } = safety.reachability;
  return { namespace, timeoutSeconds, periodSeconds };
}
