/** The e2e tests: one stack for all scenarios, started before them and stopped after them. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../../deploy/local/binaries/program.ts';
import { layoutOf, repository } from '../../deploy/local/layout.ts';
import { startStack, stopStack, type Stack } from '../../deploy/local/stack.ts';
import { stateDirVariable } from '../e2e/support/test-stack.ts';
import { jest } from './jest.ts';
import type { Report } from './report.ts';

const stateDir = join(repository, '.millwright', 'test');
const layout = layoutOf(stateDir);
/** Scenarios at a time: they mostly wait. */
const scenarioFiles = 5;
/** These kill what all scenarios share, so they run alone. */
const outages = '/outage';
const bootSeconds = 0.5;

export async function endToEnd(report: Report, pattern: string | undefined): Promise<void> {
  let allWell: boolean;
  try {
    const isUp = await report.step('start the stack', start);
    allWell = isUp && (await runTests(report, pattern));
  } finally {
    await report.step('stop the stack', async () => void (await stopStack(stateDir)));
  }
  if (!allWell)
    console.log(`Logs: ${layout.logs}; operators of the scenarios: ${join(layout.logs, 'e2e')}`);
}

async function start(): Promise<void> {
  // What a killed run left behind.
  await stopStack(stateDir);
  // Its example class goes to a namespace that no test looks at.
  const namespace = 'examples';
  const stack = await startStack({
    stateDir,
    namespace,
    operator: false,
    fresh: true,
    audit: true,
  });
  const bundler = join(repository, 'workers/bundle-workflows.ts');
  await runProgram(process.execPath, [bundler, layout.workflowBundle], { limitMs: 120_000 });
  await setBootTime(stack);
}

async function setBootTime({ environment }: Stack): Promise<void> {
  const response = await fetch(`${environment['MILLWRIGHT_VIRTUAL_CLOUD']}/settings`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ bootSeconds }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`PUT /settings: ${response.status} ${await response.text()}`);
}

async function runTests(report: Report, pattern: string | undefined): Promise<boolean> {
  const env = { [stateDirVariable]: stateDir, MILLWRIGHT_TEST_KUBECONFIG: layout.kubeconfig };
  const project = 'e2e';
  const sideBySide = await report.step('e2e tests', () =>
    jest({ project, pattern, ignored: outages, workers: scenarioFiles, env }),
  );
  const files = await outageFiles(pattern);
  if (files.length === 0) return sideBySide;
  const alone = await report.step('e2e tests with outages', () =>
    jest({ project, pattern: files.join('|'), workers: 1, env }),
  );
  return sideBySide && alone;
}

/** Those whose path matches, or all. */
async function outageFiles(pattern = ''): Promise<string[]> {
  const names = await readdir(join(repository, 'test', 'e2e'));
  return names
    .map((name) => `/test/e2e/${name}`)
    .filter((path) => path.includes(outages) && new RegExp(pattern).test(path));
}
