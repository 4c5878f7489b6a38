/** Whether a run would mark a Node that no Machine knows of, or take such a mark off. */
import { findUnmanagedNodes } from '../../activities/safety/unmanaged-nodes.ts';
import { unmanagedNodesInput } from './checks.ts';
import type { Look, LookParts } from './look.ts';

export function unmanagedNodesLook({ settings, dependencies, metrics }: LookParts): Look {
  const check = unmanagedNodesInput(settings);
  return {
    async take() {
      const { plan } = (await findUnmanagedNodes(dependencies, check)) ?? {};
      metrics.setUnmanagedNodes(plan?.unmanaged ?? 0);
      if (!plan || plan.mark.length + plan.clear.length === 0) return undefined;
      return {
        key: JSON.stringify([plan.mark, plan.clear]),
        why: `${plan.mark.length} Nodes to mark, ${plan.clear.length} that have a Machine again`,
      };
    },
  };
}
