import type { WorkflowBundleOption } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import {
  changesOf,
  hashOf,
  keptPaths,
  readHistory,
  readManifest,
  recordedPaths,
} from '../replay/histories.ts';
import { bundleForTests } from '../support/workflow-bundle.ts';

let workflowBundle: WorkflowBundleOption;
beforeAll(async () => {
  workflowBundle = await bundleForTests();
});

async function replay(history: string): Promise<void> {
  await Worker.runReplayHistory({ workflowBundle }, JSON.parse(history));
}

test.each(recordedPaths())('%s goes on with the present code', async (path) => {
  await expect(replay(readHistory(path))).resolves.toBeUndefined();
});

test('a local activity that timed out takes the regular form in a replay as when it happened', async () => {
  const history = readHistory('machine-set-survey-timed-out.json');
  expect(history).toContain('EVENT_TYPE_ACTIVITY_TASK_SCHEDULED');
  await expect(replay(history)).resolves.toBeUndefined();
});

test('a history that the code would not have made is refused', async () => {
  const history = readHistory('machine-mid-launch.json');
  const wrong = history.replaceAll('"createInstance"', '"rebootInstance"');
  expect(wrong).not.toBe(history);
  await expect(replay(wrong)).rejects.toThrow(/[Nn]ondeterminism/);
});

describe('histories of a release', () => {
  test('are those of the manifest, unchanged', () => {
    const held = Object.fromEntries(keptPaths().map((path) => [path, hashOf(readHistory(path))]));
    expect(changesOf(held, readManifest())).toEqual([]);
  });

  test('histories of a release that were changed, removed or not entered are found', () => {
    const manifest = { 'v0.1.0/a.json': '1', 'v0.1.0/b.json': '2' };
    const held = { 'a.json': '7', 'v0.1.0/a.json': '9', 'v0.2.0/c.json': '3' };
    expect(changesOf(held, manifest)).toEqual([
      'v0.2.0/c.json is new: add "v0.2.0/c.json": "3" to manifest.json',
      'v0.1.0/a.json was changed: a recorded history stays as it is',
      'v0.1.0/b.json is missing: a recorded history stays for ever',
    ]);
  });
});
