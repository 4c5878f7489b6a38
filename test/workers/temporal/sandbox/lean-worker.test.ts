import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { DefaultLogger } from '@temporalio/worker';
import { bundleWorkflows } from '../../../../workers/temporal/bundle-workflows.ts';
import { eventually } from '../../../support/eventually.ts';
import { TemporalForTests } from '../../../support/temporal.ts';

const workflowsPath = fileURLToPath(
  new URL('../../../support/endless-workflows.ts', import.meta.url),
);
const taskQueue = 'sandbox';
const temporal = TemporalForTests.ofFile();
const { promise: step, resolve: letGo } = Promise.withResolvers<void>();

async function withWorker(body: () => Promise<void>): Promise<void> {
  const workflowBundle = await bundleWorkflows({
    workflowsPath,
    logger: new DefaultLogger('ERROR'),
  });
  const options = {
    taskQueue,
    workflowBundle,
    isolateExecutionTimeout: '3s',
    maxCachedWorkflows: 10,
    // The end of a worker waits for the code that it has to interrupt.
    shutdownForceTime: '1 minute',
  } as const;
  await temporal.withWorker({ ...options, activities: { step: () => step } }, body);
}

async function start(type: string, workflowId = type): Promise<WorkflowHandle> {
  const args = [{ ref: { namespace: 'default', name: 'a' } }];
  const limits = { workflowTaskTimeout: '10s' } as const;
  return await temporal.client.workflow.start(type, { taskQueue, workflowId, args, ...limits });
}

async function failuresOf(handle: WorkflowHandle): Promise<(string | null | undefined)[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
    failed ? [failed.failure?.message] : [],
  );
}

test('the call stack says which call is under way, since when, and who made it', async () => {
  const handle = await start('patient', 'stack');
  await withWorker(async () => {
    await eventually('it does a step', async () => {
      expect(await handle.query('__stack_trace')).toMatch(
        /^activity step since 20\d\d-\S+Z\n {4}at step \(.*endless-workflows.ts:\d+\)$/,
      );
    });
    letGo();
    await eventually('it rests', async () => {
      expect(await handle.query('__stack_trace')).toMatch(
        /^timer "nothing to do" since 20\S+Z\n {4}at rest \(.*endless-workflows.ts:\d+\)\n/,
      );
    });
    expect(await handle.query('__enhanced_stack_trace')).toMatchObject({
      stacks: [{ locations: [{ function_name: 'rest' }, {}] }],
    });
    await handle.signal('wake');
    await eventually('it waits for a signal', async () => {
      expect(await handle.query('__stack_trace')).toBe('waits for a signal');
    });
    await handle.terminate();
  });
});

test('the task of a workflow in an endless loop fails, and the others of its thread go on', async () => {
  const before = await start('patient', 'before');
  await withWorker(async () => {
    await eventually('a workflow waits', async () => {
      expect(await before.query('__stack_trace')).toContain('timer');
    });
    const endless = await start('machine');
    await eventually('its task failed', async () => {
      expect(await failuresOf(endless)).toEqual([
        'the code of the workflow did not come back within 3 s',
      ]);
    });
    // It is still in the cache.
    expect(await before.query('__stack_trace')).toContain('timer');
    const after = await start('patient', 'after');
    await eventually('another one goes on', async () => {
      expect(await after.query('__stack_trace')).toContain('timer');
    });
    for (const handle of [before, endless, after]) await handle.terminate();
  });
});
