import { workflowInfo } from '@temporalio/workflow';

/**
 * Options of a workflow whose runs end with the version of the worker that they began with. For
 * runs with a time limit: without workers of its version such a run stands still. A worker without
 * a version must not ask for it, as the server refuses its tasks (1.32).
 */
export function pinned(): { versioningBehavior?: 'PINNED' } {
  const isVersioned = Boolean(workflowInfo().currentDeploymentVersion?.deploymentName);
  return isVersioned ? { versioningBehavior: 'PINNED' } : {};
}
