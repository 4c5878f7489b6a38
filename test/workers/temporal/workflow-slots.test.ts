import { expect, test } from 'vitest';
import { workflowSlots } from '../../../workers/temporal/worker-options.ts';

test.each([1, 2, 16])('a process with %d cores accepts the tasks that they can finish', (cores) => {
  expect(workflowSlots(cores)).toEqual({
    maxConcurrentWorkflowTaskExecutions: 20 * cores,
    maxConcurrentLocalActivityExecutions: 8 * cores,
  });
});
