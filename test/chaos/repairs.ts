/**
 * What the scheduled checks had to repair, by their own reports. More than chaos caused itself is a
 * fault that they hid.
 */
import type { WorkflowReport } from '../../workflows/contracts/safety-activities.ts';
import type { OrphanReport } from '../../workflows/safety/orphans.ts';
import type { WorkflowRecords } from '../e2e/support/workflow-records.ts';

export interface Repairs {
  /** Workflows that were started again: `machine x: why`. */
  restored: readonly string[];
  /** Machines of the instances that no Machine knew of. */
  orphans: readonly string[];
  /** Runs that the SDK broke, and that the server began anew. */
  brokenBySdk: readonly string[];
}

/** What chaos did behind the workflows' backs. */
export interface Causes {
  /** Workflows that it terminated, or reset, which terminates a run as well. */
  terminated: number;
  /** VMs that it let vanish. */
  vanished: number;
}

export async function repairsOf(workflows: WorkflowRecords): Promise<Repairs> {
  const entities = await workflows.resultsOf<WorkflowReport>('safetyLostWorkflows');
  const orphans = await workflows.resultsOf<OrphanReport>('safetyOrphans');
  const { brokenBySdk } = await workflows.endedBadly();
  return {
    brokenBySdk,
    restored: entities
      .flatMap((report) => report.entities)
      .filter(({ isHealed }) => isHealed)
      .map(({ kind, name, why }) => `${kind} ${name}: ${why}`),
    orphans: orphans.flatMap(({ deleted }) => deleted.map(({ machineName }) => machineName)),
  };
}

/** In words, where the checks repaired more than what chaos caused. Pure. */
export function unexplained(
  { restored, orphans }: Pick<Repairs, 'restored' | 'orphans'>,
  causes: Causes,
): string[] {
  return [
    ...(restored.length > causes.terminated
      ? [
          `${restored.length} workflows were started again, and ${causes.terminated} were terminated: ${restored.join('; ')}`,
        ]
      : []),
    ...(orphans.length > causes.vanished + causes.terminated
      ? [
          `${orphans.length} orphans were deleted, after ${causes.vanished} VMs that vanished and ${causes.terminated} workflows that were terminated: ${orphans.join(', ')}`,
        ]
      : []),
  ];
}
