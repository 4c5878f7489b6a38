import type { Workflow, WorkflowHandle } from '@temporalio/client';
import type { WorkflowResultType } from '@temporalio/common';
import { eventually } from './eventually.ts';

/**
 * What a workflow ended with; a failed one throws. `handle.result()` alone waits in a long poll,
 * and the time-skipping server sometimes answers that 20 s after the workflow has ended.
 */
export async function resultOf<T extends Workflow>(
  handle: Pick<WorkflowHandle<T>, 'describe' | 'result'>,
): Promise<WorkflowResultType<T>> {
  await eventually('the workflow ends', async () => {
    const { status } = await handle.describe();
    return status.name !== 'RUNNING';
  });
  return await handle.result();
}
