/** Log lines and counts of workflows come with the completion of their activation. */
import { fileURLToPath } from 'node:url';
import { DefaultLogger } from '@temporalio/worker';
import type { CompiledWorkerOptions } from '@temporalio/worker';
import type { Workflow } from '@temporalio/worker/lib/workflow/interface.js';
import { WorkerThreadClient } from '@temporalio/worker/lib/workflow/threaded-vm.js';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker.js';
import { coresdk } from '@temporalio/proto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { bundleWorkflows } from '../../../../workers/temporal/bundle-workflows.ts';
import { createLeanCreator } from '../../../../workers/temporal/sandbox/lean-creator.ts';

const limitMs = 60_000;
const runId = 'f2f6a3c2-0000-4000-8000-000000000001';
const workflowId = 'machine/default/a';
const workflowsPath = fileURLToPath(
  new URL('../../../support/telling-workflows.ts', import.meta.url),
);

async function aWorkflow(): Promise<Workflow> {
  const logger = new DefaultLogger('ERROR');
  const { code } = await bundleWorkflows({ workflowsPath, logger });
  const options: Partial<CompiledWorkerOptions> = {
    workflowThreadPoolSize: 1,
    isolateExecutionTimeoutMs: 5_000,
    activities: new Map(),
  };
  const creator = await createLeanCreator(parseWorkflowCode(code), Object(options), logger);
  const info = { runId, workflowId, workflowType: 'machine', unsafe: { isReplaying: false } };
  const randomnessSeed = [1, 2, 3, 4, 5, 6, 7, 8];
  const create = { info, randomnessSeed, now: 0, showStackTraceSources: false };
  const workflow = await creator.createWorkflow(Object(create));
  onTestFinished(async () => {
    await workflow.dispose();
    await creator.destroy();
  });
  return workflow;
}

const activationOf = (jobs: object[]) =>
  coresdk.workflow_activation.WorkflowActivation.fromObject({
    runId,
    timestamp: { seconds: 1 },
    jobs,
  });

test(
  'the thread is asked once for each activation, and says who tells what',
  async () => {
    const workflow = await aWorkflow();
    const send = vi.spyOn(WorkerThreadClient.prototype, 'send');
    onTestFinished(() => send.mockRestore());
    await workflow.activate(
      activationOf([{ initializeWorkflow: { workflowType: 'machine', workflowId } }]),
    );
    const calls = await workflow.getAndResetSinkCalls();
    expect(send.mock.calls.map(([input]) => input.type)).toEqual(['activate-workflow']);
    const lines = calls.filter(({ fnName }) => fnName === 'info');
    expect(lines.map(({ args }) => args[0])).toEqual(['one', 'two']);
    for (const { workflowInfo } of lines) {
      expect(workflowInfo).toMatchObject({ runId, workflowId });
      expect(workflowInfo.unsafe.now()).toBeGreaterThan(0);
    }
    expect(await workflow.getAndResetSinkCalls()).toEqual([]);
  },
  limitMs,
);
