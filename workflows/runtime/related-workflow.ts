import { inWorkflowContext, workflowInfo } from '@temporalio/workflow';
import type { Kind, NamespacedName } from '../contracts/references.ts';
import { refOfWorkflowId, workflowIdOf } from '../contracts/workflow-ids.ts';

/** Id of the workflow of another object, with the same cluster name as that of this workflow. */
export function relatedId(kind: Kind, ref: NamespacedName): string {
  if (!inWorkflowContext()) return workflowIdOf(kind, ref);
  return workflowIdOf(kind, ref, refOfWorkflowId(workflowInfo().workflowId)?.clusterName);
}
