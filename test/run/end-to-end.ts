/** The e2e tests: one stack for all scenarios, started before them and stopped after them. */
import { join } from 'node:path';
import { runProgram } from '../../deploy/local/binaries/program.ts';
import { layoutOf, repository } from '../../deploy/local/layout.ts';
import type { TemporalKind } from '../../deploy/local/options.ts';
import { startStack, stopStack, type Stack } from '../../deploy/local/stack.ts';
import { tryLock } from '../../deploy/local/supervision/lock.ts';
import { stateDirVariable } from '../e2e/support/test-stack.ts';
import type { Report } from './report.ts';
import { checkRights } from './rights.ts';
import { isForPostgresql, runsOn } from './temporal-kinds.ts';
import { testFilesOf } from './test-files.ts';
import { runsIn, type Tier } from './tiers.ts';
import { jest } from './jest.ts';

const stateDirs: Readonly<Record<TemporalKind, string>> = {
  development: join(repository, '.millwright', 'test'),
  postgresql: join(repository, '.millwright', 'test-postgresql'),
};
/**
 * Files at a time: with as many two cores are busy nearly all the time. By night each scenario runs
 * two of each process.
 */
const filesByDay = 5;
const filesByNight = 4;
/** These kill what all scenarios share, so they run alone. */
const outages = '/e2e/outage/';
const bootSeconds = 0.5;

export interface EndToEnd {
  /** Only files whose path matches this regular expression. */
  pattern: string | undefined;
  /** A pattern runs what it names in any tier. */
  tier: Tier;
  /** The Temporal server that all scenarios share. */
  temporal: TemporalKind;
  /** Only what `npm run test:all` runs on PostgreSQL. */
  isOnlyForPostgresql?: boolean;
}

export async function endToEnd(report: Report, chosen: EndToEnd): Promise<void> {
  const stateDir = stateDirs[chosen.temporal];
  // Those of another terminal would stop the stack of these.
  const lock = tryLock(`${stateDir}.lock`);
  if (!lock.taken) {
    const why = `process ${lock.holder.pid} runs end-to-end tests in ${stateDir}: wait for it, or end it`;
    await report.step('e2e tests', () => Promise.reject(new Error(why)));
    return;
  }
  try {
    await onOneStack(report, chosen);
  } finally {
    lock.release();
  }
}

async function onOneStack(report: Report, chosen: EndToEnd): Promise<void> {
  const stateDir = stateDirs[chosen.temporal];
  const layout = layoutOf(stateDir);
  const stack = chosen.temporal === 'postgresql' ? 'the stack on PostgreSQL' : 'the stack';
  let allWell: boolean;
  try {
    const isUp = await report.step(`start ${stack}`, () => start(chosen.temporal));
    allWell = isUp && (await runTests(report, chosen));
    if (allWell) {
      const isWhole =
        chosen.tier !== 'test' && chosen.pattern === undefined && !chosen.isOnlyForPostgresql;
      allWell = await report.step('rights of the chart', () =>
        checkRights(layout.logOf('audit'), { isWhole }),
      );
    }
  } finally {
    await report.step(`stop ${stack}`, async () => void (await stopStack(stateDir)));
  }
  if (!allWell)
    console.log(`Logs: ${layout.logs}; operators of the scenarios: ${join(layout.logs, 'e2e')}`);
}

async function start(temporal: TemporalKind): Promise<void> {
  const stateDir = stateDirs[temporal];
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
    temporal,
  });
  const bundler = join(repository, 'workers/temporal/bundle-workflows.ts');
  await runProgram(process.execPath, [bundler, layoutOf(stateDir).workflowBundle]);
  await setBootTime(stack);
}

async function setBootTime({ environment }: Stack): Promise<void> {
  const response = await fetch(`${environment['MILLWRIGHT_VIRTUAL_CLOUD']}/settings`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ bootSeconds }),
  });
  if (!response.ok) throw new Error(`PUT /settings: ${response.status} ${await response.text()}`);
}

async function runTests(report: Report, chosen: EndToEnd): Promise<boolean> {
  const { tier, temporal } = chosen;
  const stateDir = stateDirs[temporal];
  const layout = layoutOf(stateDir);
  const env = {
    [stateDirVariable]: stateDir,
    MILLWRIGHT_TEST_KUBECONFIG: layout.kubeconfig,
    // kubectl knows a server by its port, which another stack may have had.
    KUBECACHEDIR: layout.kubectlCache,
  };
  const project = 'e2e';
  const files = await endToEndFiles(chosen);
  const apart = files.filter((path) => path.includes(outages));
  const together = files.filter((path) => !apart.includes(path));
  const sideBySide =
    together.length === 0 ||
    (await report.step('e2e tests', () =>
      jest({ project, files: together, workers: tier === 'all' ? filesByNight : filesByDay, env }),
    ));
  const alone =
    apart.length === 0 ||
    (await report.step('e2e tests with outages', () =>
      jest({ project, files: apart, workers: 1, env }),
    ));
  return sideBySide && alone;
}

/** Those that a run chooses. */
export async function endToEndFiles({
  pattern,
  tier,
  temporal,
  isOnlyForPostgresql = false,
}: EndToEnd): Promise<string[]> {
  const found = (await testFilesOf('e2e', pattern)).filter((path) => runsOn(path, temporal));
  if (isOnlyForPostgresql) return found.filter(isForPostgresql);
  return pattern === undefined ? found.filter((path) => runsIn(path, tier)) : found;
}
