/** One run of the check `safety/unmanaged-nodes`: marks Nodes that no Machine knows of. */
import { log, setCurrentDetails, setWorkflowOptions } from '@temporalio/workflow';
import type { UnmanagedNodesCheck, UnmanagedNodesReport } from '../contracts/safety-activities.ts';
import { safetyCheck } from '../runtime/activity-options.ts';
import { pinned } from '../runtime/pinned.ts';

export async function safetyUnmanagedNodes(
  check: UnmanagedNodesCheck,
): Promise<UnmanagedNodesReport> {
  const report = await safetyCheck('compare Nodes with Machines').markUnmanagedNodes(check);
  for (const node of report.marked) log.info('marks a Node without a Machine', { node });
  for (const node of report.cleared) log.info('a Node has a Machine again', { node });
  for (const { node, message } of report.refused ?? [])
    log.warn('a Node cannot be marked, or its mark not be removed', { node, why: message });
  setCurrentDetails(detailsOf(check, report));
  return report;
}

setWorkflowOptions(pinned, safetyUnmanagedNodes);

function detailsOf({ namespace }: UnmanagedNodesCheck, report: UnmanagedNodesReport): string {
  const { nodes, unmanaged, marked, cleared, refused = [], postponed } = report;
  return [
    `### Nodes without a Machine in ${namespace}: ${unmanaged} of ${nodes}`,
    ...marked.map((name) => `- **Marked** \`${name}\``),
    ...cleared.map((name) => `- **Has a Machine again** \`${name}\``),
    ...refused.map(({ node, message }) => `- **Refused** \`${node}\`: ${message}`),
    ...(postponed > 0 ? [`- **Next run:** ${postponed} changed while they were read`] : []),
  ].join('\n');
}
