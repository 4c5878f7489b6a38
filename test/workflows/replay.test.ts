import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from '@jest/globals';
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import { bundleWorkflows } from '../support/temporal.ts';

let workflowBundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  workflowBundle = await bundleWorkflows();
}, 60_000);

async function read(name: string): Promise<string> {
  return await readFile(new URL(`../replay/${name}.json`, import.meta.url), 'utf8');
}

async function replay(history: string): Promise<void> {
  await Worker.runReplayHistory({ workflowBundle }, JSON.parse(history));
}

const recordings = [
  'machine-idle',
  'machine-mid-launch',
  'machine-mid-drain',
  'machine-preserved',
  'machine-set-mid-batch',
  'machine-deployment',
  'machine-deployment-mid-rollout',
];

test.each(recordings)('%s goes on with the present code', async (name) => {
  await expect(replay(await read(name))).resolves.toBeUndefined();
});

test('a local activity that timed out takes the regular form in a replay as when it happened', async () => {
  const history = await read('machine-set-survey-timed-out');
  expect(history).toContain('EVENT_TYPE_ACTIVITY_TASK_SCHEDULED');
  await expect(replay(history)).resolves.toBeUndefined();
});

test('a history that the code would not have made is refused', async () => {
  const history = await read('machine-mid-launch');
  const wrong = history.replaceAll('"createInstance"', '"rebootInstance"');
  expect(wrong).not.toBe(history);
  await expect(replay(wrong)).rejects.toThrow(/[Nn]ondeterminism/);
});
