import { anObject, courtroom, minuteMs, pathTo, startRun, worker } from '../courtroom.ts';
import type { World } from '../../world/world.ts';
import type { Courtroom } from '../courtroom.ts';

const reason = 'every wait has a reason';
const end = 'every wait has an end';
const hourMs = 60 * minuteMs;

function withMachine(phase: string, changes: { metadata?: object; spec?: object } = {}): Courtroom {
  const court = courtroom();
  const lastOperation = { description: 'waits for something' };
  const status = { currentStatus: { phase }, lastOperation };
  court.control.put(anObject('Machine', 'pool-a', { status, ...changes }));
  return court;
}

/** Other rules of what lasts too long have tests of their own. */
function ofWaits(court: Courtroom): string[] {
  return court.broken(true).filter((rule) => rule.startsWith('every wait'));
}

/** A workflow of this Machine whose task has no answer, and a worker that asks for the next one. */
function startWorkflow({ world }: Courtroom): void {
  startRun(world, 'machine/garden-one/pool-a', 'machine');
  askForWork(world);
}

const pollMs = 5_000;

function askForWork({ simulation, temporal }: Pick<World, 'simulation' | 'temporal'>): void {
  void temporal.engine.workflowQueue('one').poll(worker);
  simulation.after(pollMs, () => askForWork({ simulation, temporal }));
}

/** Its first attempt is taken, and has no answer. */
function failActivity({ world: { temporal } }: Courtroom): void {
  const spec = { activityId: '1', activityType: 'readAndClaimMachine', taskQueue: 'one' };
  const limits = { scheduleToCloseMs: 0, scheduleToStartMs: 0, heartbeatMs: 0 };
  const given = { args: [], headers: {}, startToCloseMs: minuteMs, retryPolicy: undefined };
  void temporal.engine.activityQueue('one').poll(worker);
  const workflow = temporal.engine.find('machine/garden-one/pool-a');
  workflow.startActivity(1, { ...spec, ...limits, ...given });
}

function refuseMachines({ world: { simulation, weather } }: Courtroom): void {
  weather.refuse({
    cluster: 'seed',
    method: 'PATCH',
    pathPrefix: pathTo('machines'),
    untilMs: simulation.now + hourMs,
    verdict: { code: 403, reason: 'Forbidden', message: 'not here' },
  });
}

describe('a reason', () => {
  test('is not missing where no worker asks for work', async () => {
    const court = courtroom();
    startRun(court.world, 'machine/garden-one/pool-a', 'machine');
    court.control.put(anObject('Machine', 'pool-a'));
    await court.pass(hourMs);
    expect(ofWaits(court)).toEqual([]);
  });

  test('is missing where nothing is said for a quarter of an hour', async () => {
    const court = courtroom();
    court.control.put(anObject('Machine', 'pool-a'));
    await court.pass(14 * minuteMs);
    expect(ofWaits(court)).toEqual([]);
    await court.pass(4 * minuteMs);
    expect(ofWaits(court)).toContain(reason);
  });

  test.each(['Pending', 'Running'])('is not missing in phase %s with a word', async (phase) => {
    const court = withMachine(phase);
    await court.pass(hourMs);
    expect(ofWaits(court)).not.toContain(reason);
  });

  test.each([
    ['a policy refuses to write it, and Temporal shows the failure', true, []],
    ['Temporal shows a failure that could be written', false, [reason]],
  ])('where %s', async (_what, isRefused, expected) => {
    const court = courtroom();
    court.control.put(anObject('Machine', 'pool-a'));
    startWorkflow(court);
    failActivity(court);
    if (isRefused) refuseMachines(court);
    await court.pass(20 * minuteMs);
    expect(ofWaits(court)).toEqual(expected);
  });

  test('is missing where a policy refuses to write it, and no failure is shown', async () => {
    const court = courtroom();
    court.control.put(anObject('Machine', 'pool-a'));
    startWorkflow(court);
    refuseMachines(court);
    await court.pass(20 * minuteMs);
    expect(ofWaits(court)).toEqual([reason]);
  });

  test('is not missing while a server is away', async () => {
    const court = courtroom();
    court.control.put(anObject('Machine', 'pool-a'));
    court.world.temporal.isUp = false;
    await court.pass(hourMs);
    expect(ofWaits(court)).toEqual([]);
  });
});

describe('an end', () => {
  test.each([
    ['', [end]],
    ['Pending', [end]],
    ['CrashLoopBackOff', [end]],
    ['Unknown', [end]],
    ['Running', []],
    ['Failed', []],
  ])('without a workflow, in phase "%s"', async (phase, expected) => {
    const court = withMachine(phase);
    await court.pass(hourMs);
    expect(ofWaits(court)).toEqual(expected);
  });

  test('a Machine that is deleted waits for its workflow only with our finalizer', async () => {
    const metadata = {
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['example.com/keep'],
    };
    const court = withMachine('Running', { metadata });
    await court.pass(hourMs);
    expect(ofWaits(court)).toEqual([]);
  });

  test('an unhealthy Machine without a health timeout waits for ever', async () => {
    const court = withMachine('Unknown', { spec: { disableHealthTimeout: true } });
    await court.pass(hourMs);
    expect(ofWaits(court)).toEqual([]);
  });

  test('a workflow that has something to do breaks no rule', async () => {
    const court = withMachine('Pending');
    startWorkflow(court);
    await court.pass(hourMs);
    expect(ofWaits(court)).toEqual([]);
  });

  test('a Machine that changes now and then breaks no rule', async () => {
    const court = withMachine('Pending');
    for (let time = 1; time < 10; time += 1) {
      const body = { metadata: { annotations: { time: String(time) } } };
      court.control.patch(pathTo('machines', 'pool-a'), { type: 'merge', body });
      await court.pass(10 * minuteMs);
    }
    expect(ofWaits(court)).toEqual([]);
  });
});
