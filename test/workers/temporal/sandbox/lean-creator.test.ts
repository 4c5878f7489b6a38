import { DefaultLogger } from '@temporalio/worker';
import type { CompiledWorkerOptions } from '@temporalio/worker';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker.js';
import proto from '@temporalio/proto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker as Thread } from 'node:worker_threads';
import { bundleWorkflows } from '../../../../workers/temporal/bundle-workflows.ts';
import { createLeanCreator } from '../../../../workers/temporal/sandbox/lean-creator.ts';

const runId = 'f2f6a3c2-0000-4000-8000-000000000001';
const workflowsPath = fileURLToPath(
  new URL('../../../support/endless-workflows.ts', import.meta.url),
);

async function creator(): Promise<WorkflowCreator> {
  const logger = new DefaultLogger('ERROR');
  const { code } = await bundleWorkflows({ workflowsPath, logger });
  const options: Partial<CompiledWorkerOptions> = {
    workflowThreadPoolSize: 1,
    isolateExecutionTimeoutMs: 1_000,
    activities: new Map(),
  };
  return await createLeanCreator(parseWorkflowCode(code), Object(options), logger);
}

/** As after each failure of a workflow task. */
async function tryAgain(threads: WorkflowCreator): Promise<unknown> {
  const info = { runId, workflowId: 'machine/default/a', workflowType: 'machine', unsafe: {} };
  const randomnessSeed = [1, 2, 3, 4, 5, 6, 7, 8];
  const workflow = await threads.createWorkflow(Object({ info, randomnessSeed, now: 0 }));
  const activation = proto.coresdk.workflow_activation.WorkflowActivation.fromObject({
    runId,
    timestamp: { seconds: 1 },
    jobs: [{ initializeWorkflow: { workflowType: 'machine', workflowId: 'machine/default/a' } }],
  });
  const error = await workflow.activate(activation).catch(messageOf);
  await workflow.dispose();
  return error;
}

function messageOf(error: unknown): string {
  return String(error);
}

test('a workflow in an endless loop is interrupted three times, and then not tried', async () => {
  // Other threads of the process are let alone, those that have ended as well.
  const ended = new Thread('1', { eval: true });
  await once(ended, 'exit');
  const beside = new Thread("require('node:worker_threads').parentPort.once('message', () => {})", {
    eval: true,
  });
  const threads = await creator();
  const fault = 'Error: the code of the workflow did not come back within 1 s';
  for (const message of [fault, fault, fault]) expect(await tryAgain(threads)).toBe(message);
  expect(await tryAgain(threads)).toBe(`${fault}, 3 times in ten minutes; this task was not tried`);
  await threads.destroy();
  // -1 once it has ended.
  expect(beside.threadId).toBeGreaterThan(0);
  await beside.terminate();
});
