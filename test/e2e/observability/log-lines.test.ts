/** The log of one machine's life has the lines of docs/logs.md, each once. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { createMachine, deleteMachine, untilPhase } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';

const scenario = useScenario('log-lines', { isDoubled: false });
const { cloud, namespace, operator, workflows } = scenario;

interface Line {
  level: number;
  msg: string;
  machine?: string;
  [field: string]: unknown;
}

/** Of level info. */
function linesOf(machine: string): Line[] {
  return readFileSync(join(operator.logs, 'worker.log'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Line => JSON.parse(line))
    .filter((line) => line.level === 30 && line.machine === machine);
}

test('each decision and each effect has one line, with a worker that was killed in between', async () => {
  await cloud.addFault({ operation: 'create', kind: 'error', code: 'Internal', times: 2 });
  const name = await createMachine(scenario, 'told');
  await untilPhase(scenario, name, 'Running');
  const { runId } = await workflows.handleOf('machine', name).describe();
  await eventually('the log says that it runs', () => {
    expect(linesOf(`${namespace}/${name}`).at(-1)?.msg).toBe('the machine is Running');
  });
  // The next worker replays the history.
  await operator.kill9('worker');
  await deleteMachine(scenario, name);

  const machine = `${namespace}/${name}`;
  // The SDK holds lines of workflows back for a moment, so the object is gone before the last one,
  // and the two kinds are in no order.
  const lines = await eventually('the log says that the workflow ends', () => {
    const written = linesOf(machine);
    expect(written.map(({ msg }) => msg)).toContain('the workflow of the machine ends');
    return written;
  });
  const effects = lines.filter(({ audit }) => audit !== undefined);
  const decisions = lines.filter((line) => !effects.includes(line));
  expect(effects.map(({ msg }) => msg)).toEqual([
    `createInstance Machine ${machine}`,
    `deleteInstance Machine ${machine}`,
  ]);
  expect(decisions.map(({ msg }) => msg)).toEqual([
    'creates the instance',
    'the machine is CrashLoopBackOff',
    'the machine is Pending',
    'the machine is Running',
    'the machine is Terminating',
    'drains the Node, then removes the machine',
    'the workflow of the machine ends',
  ]);
  const id = expect.stringMatching(/^[\da-f-]{36}$/);
  const workflowId = `machine/${machine}`;
  for (const line of lines) expect(line).toMatchObject({ workflowId, runId, provider: 'virtual' });
  const [, failed, , running] = decisions;
  const [made, deleted] = effects;
  expect(failed).toMatchObject({ failure: expect.stringContaining('Internal'), from: '' });
  const providerID = made?.['providerID'];
  const nodeName = name;
  expect(made).toMatchObject({ providerID: expect.stringMatching(/^local:/), nodeName });
  for (const line of effects) {
    expect(line).toMatchObject({ requestId: id, durationMs: expect.any(Number) });
  }
  for (const line of [running, deleted]) expect(line).toMatchObject({ providerID });
});
