/**
 * A stack with `--monitoring`: the real Prometheus takes the rules, and answers each query of the
 * dashboards about machines that live, roll and go.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acquireBinary } from '../../deploy/local/binaries/acquire.ts';
import { runProgram } from '../../deploy/local/binaries/program.ts';
import { repository } from '../../deploy/local/layout.ts';
import { startStack, stopStack, type Stack } from '../../deploy/local/stack.ts';
import { isAlive } from '../../deploy/local/supervision/identity.ts';
import { boards } from '../../deploy/monitoring/boards/all.ts';
import type { Panel } from '../../deploy/monitoring/panel.ts';
import { readRules } from '../../deploy/monitoring/rules.ts';
import { eventually } from './support/eventually.ts';
import { Prometheus } from './support/prometheus.ts';

/** From nothing, where no stack was ever started with it. */
const buildMilliseconds = 1_800_000;
const pool = join(repository, 'deploy/examples/machinedeployment.yaml');

let stateDir: string;
let stack: Stack;
let prometheus: Prometheus;

beforeAll(async () => {
  const kubectl = await acquireBinary('kubectl');
  stateDir = mkdtempSync(join(tmpdir(), 'millwright-monitoring-'));
  stack = await startStack({ stateDir, quiet: true, monitoring: true });
  prometheus = new Prometheus(stack.components['prometheus']?.address ?? '');
  const run = (...args: string[]): Promise<string> =>
    runProgram(kubectl, [`--kubeconfig=${stack.kubeconfig}`, ...args], { limitMs: 180_000 });
  await run('apply', '-f', pool);
  await untilRunning(3);
  // A drain, a deletion, and a machine that follows.
  const names = await run('get', 'machines', '-o', 'name');
  await run('delete', ...names.trim().split('\n').slice(0, 1));
  await untilRunning(3);
}, buildMilliseconds);

afterAll(async () => {
  await stopStack(stateDir);
  rmSync(stateDir, { recursive: true, force: true });
}, 120_000);

async function untilRunning(count: number): Promise<void> {
  await eventually(`${count} machines run`, async () => {
    expect(await prometheus.value('sum(millwright_machines{phase="Running"})')).toBe(count);
  });
}

test('Prometheus scrapes watcher, worker and Temporal', async () => {
  await eventually('all targets answer', async () => {
    expect(await prometheus.targets()).toEqual({
      'millwright watcher': 'up',
      'millwright worker': 'up',
      'temporal ': 'up',
    });
  });
});

test('Prometheus evaluates each rule, and nothing fires', async () => {
  const expected = readRules().groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  await eventually('each rule was evaluated', async () => {
    const rules = await prometheus.rules();
    expect(rules.map(({ name }) => name)).toEqual(expected);
    expect(rules.filter(({ health, state }) => health !== 'ok' || state === 'firing')).toEqual([]);
  });
});

describe.each(boards)('the dashboard $name', (board) => {
  const panels = board.rows.flatMap((row) => row.panels);

  test.each(panels)('answers $title', async (panel) => {
    for (const { expr } of panel.queries) {
      const { warnings, infos } = await prometheus.ask(plain(expr), panel.kind);
      expect([...warnings, ...infos]).toEqual([]);
    }
  });

  test.each(panels.filter(({ isOftenEmpty }) => isOftenEmpty !== true))(
    'has data for $title',
    async (panel) => {
      await eventually('there is a series', async () => {
        expect(await seriesOf(panel)).toBeGreaterThan(0);
      });
    },
  );
});

async function seriesOf({ queries, kind }: Panel): Promise<number> {
  const answers = await Promise.all(queries.map(({ expr }) => prometheus.ask(plain(expr), kind)));
  return answers.reduce((sum, { series }) => sum + series, 0);
}

/** As Grafana asks, with All chosen in each variable. */
function plain(expr: string): string {
  return expr.replaceAll('$__rate_interval', '1m').replace(/\$\w+/g, '.*');
}

test('Prometheus ends with the stack', async () => {
  const process = stack.components['prometheus'];
  await stopStack(stateDir);
  expect(process && isAlive(process)).toBe(false);
});
