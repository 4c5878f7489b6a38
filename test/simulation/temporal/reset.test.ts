/** As docs.temporal.io says, and a real server writes it. */
import { resetRun } from '../../support/reset-run.ts';
import type { Reapply } from '../../support/reset-run.ts';
import Long from 'long';
import { Case, secondMs, workflowId } from './case.ts';
import { partsOf } from './durations.ts';
import type { Command, Job } from './messages.ts';

const scheduleActivity: Command = {
  scheduleActivity: { seq: 1, activityId: '1', activityType: 'create' },
};
const minuteTimer: Command = {
  startTimer: { seq: 7, startToFireTimeout: partsOf(60 * secondMs) },
};
const kindsOf = (jobs: readonly Job[]): string[] => jobs.map((job) => Object.keys(job).join());
const saidIn = (jobs: readonly Job[]) =>
  jobs.flatMap(
    ({ signalWorkflow, doUpdate }) => signalWorkflow?.signalName ?? doUpdate?.name ?? [],
  );

/** Two tasks, the first of which began an activity and a timer; then a signal that waits. */
async function begun(): Promise<Case> {
  const its = new Case();
  await its.start();
  await its.complete(await its.task(), [scheduleActivity, minuteTimer]);
  await its.signal('a');
  await its.complete(await its.task());
  await its.signal('b');
  return its;
}

function reset(its: Case, event: number, reapply: Reapply = 'all'): Promise<unknown> {
  const workflowExecution = { workflowId };
  return its.settled(
    resetRun(its.client, { workflowExecution, eventId: Long.fromNumber(event), reapply }),
  );
}

const began = ['WORKFLOW_EXECUTION_STARTED', 'WORKFLOW_TASK_SCHEDULED', 'WORKFLOW_TASK_STARTED'];

test('the run ends, and another one goes on from before the task, which has failed', async () => {
  const its = await begun();
  const before = its.run;
  expect(await reset(its, 4)).toBe(its.run.run.runId);
  expect(before.status).toBe('TERMINATED');
  expect(its.run.history.types).toEqual([
    ...began,
    'WORKFLOW_TASK_FAILED',
    'WORKFLOW_EXECUTION_SIGNALED',
    'WORKFLOW_EXECUTION_SIGNALED',
    'WORKFLOW_TASK_SCHEDULED',
  ]);
  const { jobs, history } = await its.task();
  expect(kindsOf(jobs)).toEqual([
    'initializeWorkflow',
    'updateRandomSeed',
    'signalWorkflow',
    'signalWorkflow',
  ]);
  expect(history).toEqual([]);
  expect(its.run.activities.size + its.run.timers.size).toBe(0);
});

test('what its tasks had begun goes on: activities anew, timers to their old end', async () => {
  const its = await begun();
  await its.fail(await its.activity());
  await its.pass(20 * secondMs);
  await reset(its, its.run.history.types.lastIndexOf('WORKFLOW_TASK_COMPLETED') + 1, 'none');
  const task = await its.task();
  expect(saidIn(task.jobs)).toEqual(['a']);
  expect(task.history).toHaveLength(1);
  await its.complete(task);
  expect(await its.activity()).toMatchObject({ activityType: 'create', attempt: 1 });
  await its.pass(40 * secondMs);
  expect(kindsOf((await its.task()).jobs)).toEqual(['fireTimer']);
});

test('a reset re-applies an accepted update, and the history marks it as re-applied', async () => {
  const its = await begun();
  const { workflow, workflowService } = its.client;
  const updated = workflow.getHandle(workflowId).executeUpdate('pause', { updateId: 'one' });
  updated.catch(() => undefined);
  await its.pass(secondMs);
  const accepted = { updateResponse: { protocolInstanceId: 'one', accepted: {} } };
  await its.complete(await its.task(), [accepted]);
  await reset(its, 4);
  expect(saidIn((await its.task()).jobs)).toEqual(['a', 'b', 'pause']);
  const execution = { workflowId };
  const asked = { namespace: 'default', execution, maximumPageSize: 5 };
  const { history, nextPageToken } = Object(
    await its.settled(workflowService.getWorkflowExecutionHistoryReverse(asked)),
  );
  expect(history.events.map(({ eventId }: { eventId: Long }) => Number(eventId))).toEqual([
    9, 8, 7, 6, 5,
  ]);
  expect(history.events[2]).toMatchObject({
    workflowExecutionUpdateAdmittedEventAttributes: {
      origin: 1,
      request: { input: { name: 'pause' } },
    },
  });
  const rest = Object(
    await its.settled(
      workflowService.getWorkflowExecutionHistoryReverse({ ...asked, nextPageToken }),
    ),
  );
  expect(rest.history.events[0]).toMatchObject({
    workflowTaskFailedEventAttributes: { cause: 20 },
  });
});

test('a worker that has the task, or an attempt, of the run before is not known', async () => {
  const its = await begun();
  const [task, attempt] = [await its.task(), await its.activity()];
  await reset(its, 4);
  expect(await its.complete(task)).toMatchObject({ code: 5 });
  expect(await its.finish(attempt)).toMatchObject({ code: 5 });
});

test('only a task that was completed is a point, and only of a run that is open', async () => {
  const its = await begun();
  expect(await reset(its, 5)).toMatchObject({ code: 3 });
  its.run.end('TERMINATED');
  expect(await reset(its, 4)).toMatchObject({ code: 5 });
});
