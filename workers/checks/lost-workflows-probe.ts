/** Whether a run would start a workflow that is lost, or end one whose object is gone. */
import { compareWorkflows } from '../../activities/safety/lost-workflows.ts';
import { sleep } from '../../activities/system/system.ts';
import type { WorkflowComparison } from '../../workflows/plan/safety/lost-workflows.ts';
import { agreedOn, isWell } from '../../workflows/plan/safety/lost-workflows.ts';
import type { Probe, ProbeParts } from './probe.ts';

/** As a run waits: longer than a signal takes, and than a list of workflows lags behind. */
const secondComparisonAfterMs = 5_000;

export function lostWorkflowsProbe({ settings, dependencies, metrics, signal }: ProbeParts): Probe {
  const { namespace } = settings;
  let before: WorkflowComparison | undefined;

  async function compareTwice(): Promise<WorkflowComparison> {
    const first = await compareWorkflows(dependencies, { namespace });
    if (isWell(first)) return first;
    await sleep(secondComparisonAfterMs, { signal });
    return agreedOn(first, await compareWorkflows(dependencies, { namespace }));
  }

  return {
    async find() {
      const found = await compareTwice();
      const entitiesFailed = before ? mismatchesIn(agreedOn(before, found)) : 0;
      metrics.set('lost-workflows', { entitiesFailed });
      before = found;
      if (isWell(found)) return undefined;
      const { unattended, leftOver, replaced = 0 } = found;
      return {
        key: JSON.stringify([unattended, leftOver, replaced]),
        why: `${unattended.length} objects without a workflow, ${leftOver.length + replaced} workflows without an object`,
      };
    },
  };
}

function mismatchesIn({ unattended, leftOver }: WorkflowComparison): number {
  return unattended.length + leftOver.length;
}
