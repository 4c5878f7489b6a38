import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownBuildId, workerVersionOf } from '../../../workers/temporal/worker-version.ts';
import { version } from '../../../workers/config/version.ts';

const folder = mkdtempSync(join(tmpdir(), 'worker-version-'));
afterAll(() => rmSync(folder, { recursive: true }));

function bundle(name: string, code: string): string {
  const file = join(folder, name);
  writeFileSync(file, code);
  return file;
}

test('the build id is the same for the same workflow code, and another one for other code', async () => {
  const ids = await Promise.all([
    ownBuildId(bundle('one.js', 'a')),
    ownBuildId(bundle('two.js', 'a')),
    ownBuildId(bundle('three.js', 'b')),
  ]);
  expect(ids[0]).toMatch(new RegExp(`^${version.replaceAll('.', String.raw`\.`)}-[0-9a-f]{8}$`));
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).not.toBe(ids[0]);
});

test('a build id that was given is taken as it is; without a deployment there is no version', async () => {
  const workflowBundle = bundle('four.js', 'a');
  const versioning = { deploymentName: 'pool' };
  expect(await workerVersionOf({ workflowBundle })).toBeUndefined();
  expect(await workerVersionOf({ workflowBundle, versioning })).toEqual({
    deploymentName: 'pool',
    buildId: await ownBuildId(workflowBundle),
  });
  const given = { workflowBundle, versioning: { ...versioning, buildId: 'x' } };
  expect(await workerVersionOf(given)).toEqual({ deploymentName: 'pool', buildId: 'x' });
});
