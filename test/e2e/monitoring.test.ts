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
import { isAlive, signalProcess } from '../../deploy/local/supervision/identity.ts';
import { boards } from '../../deploy/monitoring/boards/all.ts';
import type { Panel } from '../../deploy/monitoring/panel.ts';
import { readRules } from '../../deploy/monitoring/rules.ts';
import { eventually } from './support/eventually.ts';
import { Prometheus } from './support/prometheus.ts';
import { VirtualCloud, type CloudFault } from './support/virtual-cloud.ts';

/** From nothing, where no stack was ever started with it. */
const buildMilliseconds = 1_800_000;
const pool = join(repository, 'deploy/examples/machinedeployment.yaml');

let stateDir: string;
let stack: Stack;
let prometheus: Prometheus;
let kubectl: (args: readonly string[], input?: string) => Promise<string>;

beforeAll(async () => {
  const program = await acquireBinary('kubectl');
  stateDir = mkdtempSync(join(tmpdir(), 'millwright-monitoring-'));
  stack = await startStack({ stateDir, quiet: true, monitoring: true });
  prometheus = new Prometheus(stack.components['prometheus']?.address ?? '');
  kubectl = (args, input = '') =>
    runProgram(program, [`--kubeconfig=${stack.kubeconfig}`, ...args], { input, limitMs: 180_000 });
  await kubectl(['apply', '-f', pool]);
  await untilRunning(3);
  // A drain, a deletion, and a machine that follows.
  const names = await kubectl(['get', 'machines', '-o', 'name']);
  await kubectl(['delete', ...names.trim().split('\n').slice(0, 1)]);
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

interface Trouble {
  machine: string;
  /** Beside the class `small`. */
  spec?: { class?: { name: string }; creationTimeout?: string };
  /** Of the cloud, for this machine only. */
  fault?: CloudFault;
  alert: Alert;
}

interface Alert {
  alertname: string;
  cause?: string;
}

function creation(cause: string): Alert {
  return { alertname: 'MillwrightCreationFails', cause };
}

function manifestOf({ machine, spec = {} }: Trouble): object {
  return {
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'Machine',
    metadata: { name: machine, namespace: stack.namespace },
    spec: { ...spec, class: { kind: 'MachineClass', name: 'small', ...spec.class } },
  };
}

/** The rules wait for minutes before they fire; that their condition holds is seen at once. */
describe('a real trouble', () => {
  test.each<Trouble>([
    { machine: 'nowhere', spec: { class: { name: 'nowhere' } }, alert: creation('missing') },
    { machine: 'many', fault: { kind: 'quota' }, alert: creation('quota') },
    { machine: 'full', fault: { kind: 'zoneFull', zone: 'a' }, alert: creation('capacity') },
    {
      machine: 'wrong',
      fault: { kind: 'error', operation: 'create', code: 'InvalidArgument' },
      alert: creation('spec'),
    },
    {
      machine: 'refused',
      fault: { kind: 'error', operation: 'create', code: 'Unauthenticated' },
      alert: creation('credentials'),
    },
    {
      machine: 'down',
      fault: { kind: 'error', operation: 'create', code: 'Internal' },
      alert: creation('cloud'),
    },
    {
      machine: 'silent',
      fault: { kind: 'neverJoin' },
      // It is seen at half of it, and until it is over.
      spec: { creationTimeout: '90s' },
      alert: { alertname: 'MillwrightMachineDoesNotJoin' },
    },
  ])('of the machine $machine is seen', async (trouble) => {
    const { machine, fault, alert } = trouble;
    const cloud = new VirtualCloud(stack.components['virtual-cloud']?.address ?? '', machine);
    if (fault) await cloud.addFault(fault);
    await kubectl(['apply', '-f', '-'], JSON.stringify(manifestOf(trouble)));
    await eventually('its alert is pending', async () => {
      expect(await prometheus.alerts()).toContainEqual(expect.objectContaining(alert));
    });
  });

  test('of Temporal is seen', async () => {
    const temporal = stack.components['temporal'];
    if (temporal === undefined) throw new Error('the stack has no Temporal');
    signalProcess(temporal, 'SIGSTOP');
    try {
      await eventually('its alert is pending', async () => {
        const alert = { alertname: 'MillwrightTemporalDown', cause: 'silent' };
        expect(await prometheus.alerts()).toContainEqual(expect.objectContaining(alert));
      });
    } finally {
      signalProcess(temporal, 'SIGCONT');
    }
  });
});

test('Prometheus ends with the stack', async () => {
  const process = stack.components['prometheus'];
  await stopStack(stateDir);
  expect(process && isAlive(process)).toBe(false);
});
