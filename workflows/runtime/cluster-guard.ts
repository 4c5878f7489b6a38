import { log } from '@temporalio/workflow';
import type { WorkflowInput, SnapshotVersion } from '../contracts/references.ts';

/**
 * One Temporal namespace may serve several clusters with objects of the same names: signals of
 * another are refused loudly.
 */
export function isFromOwnCluster(
  signal: Pick<SnapshotVersion, 'cluster'>,
  { cluster }: WorkflowInput,
): boolean {
  if (signal.cluster === cluster) return true;
  log.error('signal of another cluster refused', { cluster: signal.cluster, ours: cluster });
  return false;
}
