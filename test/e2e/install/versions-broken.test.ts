/**
 * Releases whose workflow code does not go on with the histories of the one before, or fails in its
 * tasks, and the runbook that takes them back.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { createMachine, deleteMachine, untilGone, untilPhase } from '../support/machines.ts';
import { metricsOf } from '../support/probes.ts';
import { Runbook } from '../support/runbook.ts';
import { untilNotStuck, untilStuck } from '../support/runbook-findings.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';
import { nameCurrent, versionsIn } from '../support/versions.ts';

const deploymentName = `broken_${randomUUID()}`;
const [good, bad, failing] = ['1.0.0-good', '1.1.0-bad', '1.2.0-failing'];
const { layout } = testStack();

const broken = {
  /** No history has it. */
  timer: (workflow: string) => `await (0,${workflow}.sleep)(1);`,
  error: () => `throw new TypeError('this release does nothing');`,
};

/** The present code, but each run of a Machine begins with something else. */
function brokenBundle(what: keyof typeof broken): string {
  const code = readFileSync(layout.workflowBundle, 'utf8');
  const begin = 'async function machine(input) {';
  const [before = '', after] = code.split(begin);
  const sdk = before.match(/_temporalio_workflow__WEBPACK_IMPORTED_MODULE_\d+__(?= =)/g)?.at(-1);
  if (after === undefined || sdk === undefined) throw new Error('the bundle has another form');
  const file = join(layout.stateDir, `${deploymentName}-${what}.js`);
  writeFileSync(file, `${before}${begin} ${broken[what](sdk)} ${after}`);
  return file;
}

const flagsOf = (buildId: string): string[] => [
  `--worker-deployment=${deploymentName}`,
  `--build-id=${buildId}`,
];

describe('a release that breaks the workflows of Machines', () => {
  const scenario = useScenario('broken', {
    isDoubled: false,
    workers: [
      { name: 'worker-good', flags: flagsOf(good) },
      {
        name: 'worker-bad',
        flags: [...flagsOf(bad), `--workflow-bundle=${brokenBundle('timer')}`],
      },
      {
        name: 'worker-failing',
        isLater: true,
        flags: [...flagsOf(failing), `--workflow-bundle=${brokenBundle('error')}`],
      },
    ],
    causes: [
      // Of the run that the other code began: the present code would not have made its history.
      /Nondeterminism/,
      /a task failed .*this release does nothing/,
    ],
  });
  const { cluster, operator, workflows } = scenario;

  async function pageOfBadRelease(): Promise<Runbook> {
    return await Runbook.of(scenario, 'bad-release', {
      TEMPORAL_NAMESPACE: 'default',
      DEPLOYMENT: deploymentName,
      GOOD: good,
    });
  }

  test('begins their runs anew, counts them, and loses no machine', async () => {
    await nameCurrent({ deploymentName, buildId: good });
    const name = await createMachine(scenario, 'first');
    await untilPhase(scenario, name, 'Running');
    const first = await workflows.handleOf('machine', name).describe();
    await nameCurrent({ deploymentName, buildId: bad });
    await cluster.delete(cluster.pathOf('machines', name));
    await untilGone(scenario, cluster.pathOf('machines', name));
    const history = await workflows.handleOf('machine', name).fetchHistory();
    expect(versionsIn({ history })).toEqual([bad]);
    const last = await workflows.handleOf('machine', name).describe();
    expect(last.runId).not.toBe(first.runId);
    await eventually('the metric counts it', async () => {
      const metrics = await metricsOf(scenario, 'worker-bad');
      expect(metrics).toMatch(
        /^millwright_runs_begun_anew_total\{[^}]*kind="machine"[^}]*reason="nondeterminism"[^}]*\} 1$/m,
      );
    });
  });

  test('is taken back by the runbook: the release before does the work again', async () => {
    const page = await pageOfBadRelease();
    await untilStuck(page, {
      trouble: 'bad-release',
      object: 'queue/',
      cause: /runs that failed within the hour and began anew: 1, such as machine\/.*TMPRL1100/,
      way: `millwright setup --current=${good}`,
    });
    expect(await page.run('Look')).toMatch(new RegExp(`CurrentVersionBuildID +${bad}`));
    await page.run('While workers of the version before are there');
    expect(await page.run('Look')).toMatch(new RegExp(`CurrentVersionBuildID +${good}`));
    await untilNotStuck(page, 'bad-release');
    const name = await createMachine(scenario, 'second');
    await untilPhase(scenario, name, 'Running');
    const history = await workflows.handleOf('machine', name).fetchHistory();
    expect(versionsIn({ history })).toEqual([good]);
    await deleteMachine(scenario, name);
  });

  test('that fails in their tasks is seen, and taken back by the same page', async () => {
    const page = await pageOfBadRelease();
    operator.startAgain('worker-failing');
    await nameCurrent({ deploymentName, buildId: failing });
    const name = await createMachine(scenario, 'third');
    await untilStuck(page, {
      trouble: 'bad-release',
      object: 'queue/',
      cause: new RegExp(
        `their tasks fail: 1, such as machine/.*${name}: this release does nothing`,
      ),
      way: `millwright setup --current=${good}`,
    });
    await page.run('While workers of the version before are there');
    await untilPhase(scenario, name, 'Running');
    const history = await workflows.handleOf('machine', name).fetchHistory();
    expect(versionsIn({ history })).toEqual([good]);
    await untilNotStuck(page, 'bad-release');
    await deleteMachine(scenario, name);
  });
});
