import { courtroom, minuteMs, namespace, startRun } from '../courtroom.ts';
import type { Courtroom } from '../courtroom.ts';

const rollout = `machinedeployment/${namespace}/pool-a`;

/** Events of steps that a run takes at this moment. */
function act({ world }: Courtroom, events: number, id = rollout): void {
  const run = startRun(world, id);
  for (let event = 0; event < events; event += 1) run.history.add('MARKER_RECORDED');
  run.end('TERMINATED');
}

test('a workflow that goes on and on without a rest breaks a rule, also run by run', async () => {
  const court = courtroom();
  act(court, 500);
  act(court, 500);
  await court.pass(minuteMs);
  expect(court.broken()).toEqual(['a workflow rests between its steps']);
});

test('as many steps in a longer time, or by two workflows, break none', async () => {
  const court = courtroom();
  for (let minute = 0; minute < 3; minute += 1) {
    act(court, 500);
    act(court, 500, `machinedeployment/${namespace}/pool-b`);
    await court.pass(minuteMs);
  }
  expect(court.broken()).toEqual([]);
});

test.each([
  [1_000, []],
  [3_000, ['a workflow rests between its steps']],
])('%i events of runs that end after a few steps', async (events, expected) => {
  const court = courtroom({ historyWeight: 100 });
  for (let run = 0; run < events / 25; run += 1) act(court, 25);
  await court.pass(minuteMs);
  expect(court.broken()).toEqual(expected);
});

/** A local activity each, within a minute. */
async function takeSteps(court: Courtroom, steps: number, signals = 0): Promise<void> {
  const run = startRun(court.world, `machine/${namespace}/pool-a`);
  for (let step = 0; step < steps; step += 1) run.history.add('MARKER_RECORDED');
  for (let signal = 0; signal < signals; signal += 1) {
    run.history.add('WORKFLOW_EXECUTION_SIGNALED');
  }
  await court.pass(minuteMs);
}

test.each([
  { steps: 35, signals: 0, broken: ['a workflow rests between its steps'] },
  { steps: 35, signals: 10, broken: [] },
  { steps: 20, signals: 0, broken: [] },
])('a Machine with $steps steps and $signals signals in a minute', async (given) => {
  const court = courtroom();
  await takeSteps(court, given.steps, given.signals);
  expect(court.broken()).toEqual(given.broken);
});
