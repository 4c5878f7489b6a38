/** Whether a run would mark a Node that no Machine knows of, or take such a mark off. */
import { findUnmanagedNodes } from '../../activities/safety/unmanaged-nodes.ts';
import { unmanagedNodesInput } from './checks.ts';
import type { Probe, ProbeParts } from './probe.ts';

export function unmanagedNodesProbe({ settings, dependencies, metrics }: ProbeParts): Probe {
  const check = unmanagedNodesInput(settings);
  return {
    async find() {
      const { plan } = (await findUnmanagedNodes(dependencies, check)) ?? {};
      metrics.set('unmanaged-nodes', { nodes: plan?.unmanaged ?? 0 });
      // Without a watcher a run could write none: it would fail, and Temporal pause the Schedule.
      if (!dependencies.activeWatcher.isActive()) return undefined;
      if (!plan || plan.mark.length + plan.clear.length === 0) return undefined;
      return {
        key: JSON.stringify([plan.mark, plan.clear]),
        why: `${plan.mark.length} Nodes to mark, ${plan.clear.length} that have a Machine again`,
      };
    },
  };
}
