import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import LightRunner from './light-runner.ts';

test('a process that a signal ends fails its file, and the files after it run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-light-runner-'));
  const lines: string[] = [];
  const note = async (line: string): Promise<void> => void lines.push(line);
  const files = { crashes: "process.kill(process.pid, 'SIGSEGV');", passes: '', alsoPasses: '' };
  const none = { setupFiles: [], setupFilesAfterEnv: [], snapshotSerializers: [], transform: [] };
  const context = { config: { ...none, snapshotFormat: {} } };
  try {
    const tests = await Promise.all(
      Object.entries(files).map(async ([name, line]) => {
        const path = join(folder, `${name}.mjs`);
        await writeFile(path, `test('runs', async () => { ${line} });`);
        return { path, name, context };
      }),
    );
    await new LightRunner({ maxWorkers: 1, testNamePattern: null }).runTests(
      tests,
      undefined,
      async () => undefined,
      async ({ path }) => await note(`${path.slice(folder.length)} has a result`),
      async ({ path }, error) => await note(`${path.slice(folder.length)}: ${String(error)}`),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
  expect(lines).toEqual([
    expect.stringMatching(/crashes.mjs: Error: A jest worker .*SIGSEGV/),
    '/passes.mjs has a result',
    '/alsoPasses.mjs has a result',
  ]);
});
