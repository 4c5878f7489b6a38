import { DefaultLogger } from '@temporalio/worker';
import type { CompiledWorkerOptions } from '@temporalio/worker';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker.js';
import proto from '@temporalio/proto';
import { fileURLToPath } from 'node:url';
import { bundleWorkflows } from '../../../../workers/temporal/bundle-workflows.ts';
import { createLeanCreator } from '../../../../workers/temporal/sandbox/lean-creator.ts';

const runId = 'f2f6a3c2-0000-4000-8000-000000000001';
const workflowsPath = fileURLToPath(
  new URL('../../../support/endless-workflows.ts', import.meta.url),
);

async function creatorWith(logger: DefaultLogger): Promise<WorkflowCreator> {
  const { code } = await bundleWorkflows({ workflowsPath, logger: new DefaultLogger('ERROR') });
  const options: Partial<CompiledWorkerOptions> = {
    workflowThreadPoolSize: 1,
    isolateExecutionTimeoutMs: 5_000,
    activities: new Map(),
  };
  return await createLeanCreator(parseWorkflowCode(code), Object(options), logger);
}

test('a workflow in an endless loop is named, and ends its thread instead of standing still', async () => {
  const said: string[] = [];
  const creator = await creatorWith(
    new DefaultLogger('ERROR', ({ message }) => said.push(message)),
  );
  const info = { runId, workflowId: 'machine/default/a', workflowType: 'machine', unsafe: {} };
  const randomnessSeed = [1, 2, 3, 4, 5, 6, 7, 8];
  const workflow = await creator.createWorkflow(Object({ info, randomnessSeed, now: 0 }));
  const activation = proto.coresdk.workflow_activation.WorkflowActivation.fromObject({
    runId,
    timestamp: { seconds: 1 },
    jobs: [{ initializeWorkflow: { workflowType: 'machine', workflowId: 'machine/default/a' } }],
  });
  await expect(workflow.activate(activation)).rejects.toThrow('exited while there were still');
  expect(said).toEqual([expect.stringContaining('machine machine/default/a')]);
});
