import { Case, options, secondMs, workflowId } from './case.ts';
import { partsOf } from './durations.ts';
import type { Command, Job } from './messages.ts';

const scheduleActivity: Command = {
  scheduleActivity: {
    seq: 1,
    activityId: '1',
    activityType: 'create',
    startToCloseTimeout: partsOf(60 * secondMs),
    retryPolicy: { maximumAttempts: 1 },
  },
};

const minuteTimer: Command = {
  startTimer: { seq: 7, startToFireTimeout: partsOf(60 * secondMs) },
};

const kindsOf = (jobs: readonly Job[]): string[] => jobs.map((job) => Object.keys(job).join());
const namesOf = (jobs: readonly Job[]) =>
  jobs.map(({ signalWorkflow }) => signalWorkflow?.signalName);
const notFound = { code: 5 };

test('a run that began since the backup is gone, and its id is free', async () => {
  const its = new Case();
  const restore = its.temporal.backup();
  await its.start();
  restore();
  expect(await its.signal('a')).toMatchObject({ name: 'WorkflowNotFoundError' });
  await its.start();
});

test('a run that was closed since is open again, with the history of then', async () => {
  const its = new Case();
  await its.start();
  await its.complete(await its.task());
  const [types, restore] = [[...its.run.history.types], its.temporal.backup()];
  await its.signal('end');
  await its.complete(await its.task(), [{ completeWorkflowExecution: {} }]);
  expect(its.run.status).toBe('COMPLETED');

  restore();
  expect(its.run.status).toBe('RUNNING');
  expect(its.run.history.types).toEqual(types);
  expect(its.run.activations).toHaveLength(1);
  await its.signal('again');
  const { jobs, history } = await its.task();
  expect(namesOf(jobs)).toEqual(['again']);
  expect(history).toHaveLength(1);
});

test('a signal that no task had brought is still to come, and its request is not taken twice', async () => {
  const its = new Case();
  await its.start();
  await its.complete(await its.task());
  its.run.signal({ signalWorkflow: { signalName: 'known' } }, 'request-1');
  const restore = its.temporal.backup();
  its.run.signal({ signalWorkflow: { signalName: 'lost' } }, 'request-2');
  await its.complete(await its.task());

  restore();
  for (const id of ['request-1', 'request-2']) {
    its.run.signal({ signalWorkflow: { signalName: `again ${id}` } }, id);
  }
  const { jobs } = await its.task();
  expect(namesOf(jobs)).toEqual(['known', 'again request-2']);
});

test('a task that was with a worker may be answered; one that began since is not known', async () => {
  const its = new Case();
  await its.start();
  const first = await its.task();
  const restore = its.temporal.backup();
  await its.complete(first);
  await its.signal('a');
  const later = await its.task();

  restore();
  expect(await its.complete(first)).toBeUndefined();
  expect(await its.complete(later)).toMatchObject(notFound);
});

test('a task of a worker that is gone times out in its time, and another one gets it', async () => {
  const its = new Case();
  await its.start();
  const lost = await its.task();
  const restore = its.temporal.backup();
  await its.complete(lost);
  await its.pass(60 * secondMs);
  restore();
  await its.pass(2 * secondMs);
  const again = await its.task();
  expect(kindsOf(again.jobs)).toEqual(['initializeWorkflow']);
  expect(again.attempt).toBe(2);
});

test('an activity that has ended since is tried again where its attempt waited', async () => {
  const its = new Case();
  await its.start();
  await its.complete(await its.task(), [scheduleActivity]);
  const restore = its.temporal.backup();
  await its.finish(await its.activity());
  expect(its.run.activities.size).toBe(0);

  restore();
  const attempt = await its.activity();
  expect(attempt).toMatchObject({ activityType: 'create', attempt: 1 });
  await its.finish(attempt);
  expect(kindsOf((await its.task()).jobs)).toEqual(['resolveActivity']);
});

test('an attempt that ran is waited for until its own limit', async () => {
  const its = new Case();
  await its.start();
  await its.complete(await its.task(), [scheduleActivity]);
  const attempt = await its.activity();
  const restore = its.temporal.backup();
  await its.finish(attempt);
  restore();
  expect(its.run.activities.size).toBe(1);
  await its.pass(60 * secondMs);
  expect(its.run.activities.size).toBe(0);
  expect(await its.finish(attempt)).toMatchObject(notFound);
  const [job] = (await its.task()).jobs;
  expect(job?.resolveActivity?.result?.failed?.failure?.message).toBe('Activity task timed out');
});

test('a second attempt that no worker had taken is still there for one', async () => {
  const its = new Case();
  await its.start();
  const { scheduleActivity: activity } = scheduleActivity;
  const { retryPolicy: _once, ...triedAgain } = activity ?? {};
  await its.complete(await its.task(), [{ scheduleActivity: triedAgain }]);
  await its.fail(await its.activity());
  await its.pass(2 * secondMs);
  its.temporal.backup()();
  await its.pass(2 * secondMs);
  expect(await its.activity()).toMatchObject({ activityType: 'create', attempt: 2 });
});

test('a timer fires when it would have, or at once', async () => {
  const its = new Case();
  await its.start();
  const begunAt = its.simulation.now;
  await its.complete(await its.task(), [minuteTimer]);
  const [soon, late] = [its.temporal.backup(), its.temporal.backup()];
  await its.pass(20 * secondMs);
  soon();
  await its.pass(30 * secondMs);
  expect(its.run.timers.size).toBe(1);
  await its.pass(begunAt + 75 * secondMs - its.simulation.now);
  expect(its.run.timers.size).toBe(0);
  await its.pass(300 * secondMs);
  late();
  await its.pass(2 * secondMs);
  expect(kindsOf((await its.task()).jobs)).toEqual(['fireTimer']);
});

test('a query that waits for an answer breaks with the server, and is asked again', async () => {
  const its = new Case();
  await its.start();
  await its.complete(await its.task());
  const restore = its.temporal.backup();
  const asked = its.client.workflow.getHandle(workflowId).query('state');
  await its.pass(secondMs);
  restore();
  await its.pass(5 * secondMs);
  expect((await its.task()).queries).toMatchObject([{ name: 'state' }]);
  expect(await its.settled(Promise.race([asked, Promise.resolve('open')]))).toBe('open');
});

test('schedules are those of then, and the namespace too', async () => {
  const its = new Case();
  const action = { type: 'startWorkflow' as const, workflowType: 'check', ...options, args: [] };
  const spec = { intervals: [{ every: '1h' as const }] };
  const create = (scheduleId: string) =>
    its.settled(its.client.schedule.create({ scheduleId, action, spec }));
  const ids = () =>
    its.settled(its.client.workflowService.describeNamespace({ namespace: 'default' }));
  await create('kept');
  const [before, restore] = [await ids(), its.temporal.backup()];
  its.temporal.lose();
  await create('new');
  restore();
  expect(await ids()).toEqual(before);
  expect(() => its.temporal.trigger('new')).toThrow('not found');
  its.temporal.trigger('kept');
  expect((await its.task()).run.workflowType).toBe('check');
});
