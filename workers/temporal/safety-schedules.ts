/** The table of the scheduled checks: what runs, how often, and what the Temporal UI says of it. */
import type {
  WorkflowCheck,
  OrphanCheck,
  OvershootCheck,
  ReachabilityCheck,
  UnmanagedNodesCheck,
} from '../../workflows/contracts/safety-activities.ts';
import type { Config } from '../config/config.ts';
import type { Identity } from './identity.ts';

export type CheckSettings = Pick<Config, 'namespace' | 'machine' | 'safety' | 'timeouts'> & {
  identity: Identity;
};

export interface Check {
  /** A part of the id of its schedule, see `scheduleIdOf`. */
  name: string;
  /** Function in workflows/index.ts. */
  workflow: string;
  periodSeconds: number;
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

export function checksOf(settings: CheckSettings): Check[] {
  const all = [orphans, overshoot, entities, unmanagedNodes, reachability];
  return all.map((check) => check(settings));
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
    periodSeconds: safety.orphanPeriodSeconds,
    input,
    summary: `Instances without a Machine in ${namespace}`,
    details:
      'Lists the instances of every cloud account that a MachineClass names, and compares them with the Machines. What two runs agree on is deleted. The result is the report. docs/safety.md',
    isOff,
  };
}

function overshoot({ namespace, safety }: CheckSettings): Check {
  const { up, down, overshootingPeriodSeconds } = safety;
  const input: OvershootCheck = { namespace, up, down };
  return {
    name: 'overshoot',
    workflow: 'safetyOvershoot',
    periodSeconds: overshootingPeriodSeconds,
    input,
    summary: `MachineSets with too many machines in ${namespace}`,
    details:
      'Freezes MachineSets that have far more machines than were asked for, and thaws them when that is over. The result is the report. docs/safety.md',
    isOff: false,
  };
}

function entities({ namespace, safety }: CheckSettings): Check {
  const input: WorkflowCheck = { namespace };
  return {
    name: 'lost-workflows',
    workflow: 'safetyLostWorkflows',
    periodSeconds: safety.entitiesPeriodSeconds,
    input,
    summary: `Objects and workflows of ${namespace} compared`,
    details:
      'Starts the workflows of Machines, MachineSets and MachineDeployments that do not run, and signals those whose object is gone. The result is the report. docs/safety.md',
    isOff: false,
  };
}

function unmanagedNodes({ namespace, machine, safety }: CheckSettings): Check {
  const { unmanagedNodesSelector: selector } = safety;
  const { creationTimeoutSeconds } = machine;
  const input: UnmanagedNodesCheck = {
    namespace,
    creationTimeoutSeconds,
    ...(selector !== '' && { selector }),
  };
  return {
    name: 'unmanaged-nodes',
    workflow: 'safetyUnmanagedNodes',
    periodSeconds: safety.orphanPeriodSeconds,
    input,
    summary: `Nodes without a Machine in ${namespace}`,
    details:
      'Marks Nodes that no Machine knows of with the annotation not-managed-by-mcm and takes our finalizer off them. docs/safety.md',
    isOff: false,
  };
}

function reachability({ namespace, safety }: CheckSettings): Check {
  const { timeoutSeconds, periodSeconds } = safety.reachability;
  const input: ReachabilityCheck = { namespace, timeoutSeconds, periodSeconds };
  return {
    name: 'reachability',
    workflow: 'safetyReachability',
    periodSeconds,
    input,
    summary: `API servers of ${namespace}`,
    details:
      'Asks both API servers. A run stays while one of them does not answer. The result is the report. docs/safety.md',
    isOff: false,
  };
}
