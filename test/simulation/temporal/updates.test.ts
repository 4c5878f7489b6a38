import { defaultPayloadConverter } from '@temporalio/common';
import { Case, orError, secondMs, workflowId } from './case.ts';
import type { TaskCommand, WorkflowTask } from './messages.ts';

const done = defaultPayloadConverter.toPayload('is done');
const refusal = { message: 'not now', applicationFailureInfo: { type: 'Refused' } };

/** A run that rests, and an update of it that is on its way. */
async function asked(its = new Case(), updateId = 'update-1') {
  await its.start();
  await its.complete(await its.task());
  const events = its.run.history.length;
  const update = ask(its, updateId);
  return { its, update, newEvents: () => its.run.history.types.slice(events) };
}

function ask(its: Case, updateId: string): Promise<unknown> {
  const handle = its.client.workflow.getHandle(workflowId);
  return orError(handle.executeUpdate('pause', { args: [{ by: 'Ada' }], updateId }));
}

type Answer = 'accepted' | 'completed' | 'rejected';
const contents = { accepted: {}, completed: done, rejected: refusal };

/** To all updates that a task brings. */
function answersOf({ jobs }: WorkflowTask, ...answers: readonly Answer[]): TaskCommand[] {
  const ids = jobs.flatMap(({ doUpdate }) => doUpdate?.protocolInstanceId ?? []);
  return ids.flatMap((protocolInstanceId) =>
    answers.map((answer) => ({
      updateResponse: { protocolInstanceId, [answer]: contents[answer] },
    })),
  );
}

const wholeTask = ['WORKFLOW_TASK_SCHEDULED', 'WORKFLOW_TASK_STARTED', 'WORKFLOW_TASK_COMPLETED'];

test('an update is answered by the task that brings it', async () => {
  const { its, update, newEvents } = await asked();
  const task = await its.task();
  expect(task.jobs).toMatchObject([{ doUpdate: { name: 'pause', runValidator: true } }]);
  await its.complete(task, answersOf(task, 'accepted', 'completed'));
  expect(await update).toBe('is done');
  expect(newEvents()).toEqual([
    ...wholeTask,
    'WORKFLOW_EXECUTION_UPDATE_ACCEPTED',
    'WORKFLOW_EXECUTION_UPDATE_COMPLETED',
  ]);
});

test('of one that is refused the history says nothing', async () => {
  const { its, update, newEvents } = await asked();
  const task = await its.task();
  await its.complete(task, answersOf(task, 'rejected'));
  expect(await update).toMatchObject({ name: 'WorkflowUpdateFailedError' });
  expect(newEvents()).toEqual([]);
});

test('one that a signal comes with shares its task', async () => {
  const { its, newEvents } = await asked();
  void its.client.workflow.getHandle(workflowId).signal('a');
  await its.pass(0.5 * secondMs);
  const task = await its.task();
  expect(task.jobs.map((job) => Object.keys(job).join())).toEqual(['signalWorkflow', 'doUpdate']);
  await its.complete(task, answersOf(task, 'rejected'));
  expect(newEvents()).toEqual(['WORKFLOW_EXECUTION_SIGNALED', ...wholeTask]);
});

test('one that comes again is the same one, also when it is over', async () => {
  const { its, update } = await asked();
  const again = ask(its, 'update-1');
  const task = await its.task();
  expect(task.jobs).toHaveLength(1);
  await its.complete(task, answersOf(task, 'accepted', 'completed'));
  const late = await its.settled(ask(its, 'update-1'));
  expect([await update, await again, late]).toEqual(['is done', 'is done', 'is done']);
  expect(its.run.hasPendingTask).toBe(false);
});

test('one that is accepted is waited for across tasks and calls', async () => {
  const { its, update } = await asked();
  const task = await its.task();
  await its.complete(task, answersOf(task, 'accepted'));
  await its.pass(45 * secondMs);
  await its.signal('a');
  const { protocolInstanceId = '' } = task.jobs[0]?.doUpdate ?? {};
  await its.complete(await its.task(), [
    { updateResponse: { protocolInstanceId, completed: done } },
  ]);
  expect(await update).toBe('is done');
});

test('a task that a worker does not answer is written, and brings it again', async () => {
  const { its, newEvents } = await asked();
  await its.task();
  await its.pass(11 * secondMs);
  expect(newEvents()).toEqual([
    'WORKFLOW_TASK_SCHEDULED',
    'WORKFLOW_TASK_STARTED',
    'WORKFLOW_TASK_TIMED_OUT',
    'WORKFLOW_TASK_SCHEDULED',
  ]);
  expect((await its.task()).jobs).toMatchObject([{ doUpdate: { name: 'pause' } }]);
});

test('a run that ends refuses it, or fails it if it was accepted', async () => {
  const { its, update } = await asked();
  const task = await its.task();
  await its.complete(task, answersOf(task, 'accepted'));
  const late = ask(its, 'update-2');
  const last = await its.task();
  await its.complete(last, [{ completeWorkflowExecution: {} }]);
  expect(await update).toMatchObject({ cause: { type: 'AcceptedUpdateCompletedWorkflow' } });
  expect(await late).toMatchObject({ name: 'WorkflowNotFoundError' });
});

test('after a restore one that was accepted goes on, and others are asked again', async () => {
  const { its, update } = await asked();
  const task = await its.task();
  await its.complete(task, answersOf(task, 'accepted'));
  const late = ask(its, 'update-2');
  const restore = its.temporal.backup();
  const { protocolInstanceId = '' } = task.jobs[0]?.doUpdate ?? {};
  restore();
  const next = await its.task();
  expect(next.jobs).toMatchObject([{ doUpdate: { id: 'update-2' } }]);
  await its.complete(next, [
    ...answersOf(next, 'accepted', 'completed'),
    { updateResponse: { protocolInstanceId, completed: done } },
  ]);
  expect(await Promise.all([update, late])).toEqual(['is done', 'is done']);
});
