/** What a script does to a schedule of its own, whose runs are of the same workflow. */
import type { ScheduleHandle } from '@temporalio/client';
import { ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { describeFailure } from './describe-failure.ts';
import type { ScheduleAction, ScheduleCounts } from './script.ts';
import type { Stage } from './stage.ts';

export class ScheduleActions {
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async act({ to, steps = [] }: ScheduleAction): Promise<string> {
    switch (to) {
      case 'create':
        await this.#create(steps);
        return 'done';
      case 'trigger':
        // That of the checks.
        await this.#handle.trigger(ScheduleOverlapPolicy.SKIP);
        return 'done';
      case 'pause':
        await this.#handle.pause('by a script');
        return 'done';
      case 'resume':
        await this.#handle.unpause('by a script');
        return 'done';
      case 'describe':
        return JSON.stringify(await this.counts());
      case 'end':
        return await this.#endRun();
      case 'result':
        return await this.#result();
      case 'delete':
        await this.#handle.delete();
        return 'done';
    }
  }

  /** Undefined when there is none. */
  async counts(): Promise<Required<ScheduleCounts> | undefined> {
    try {
      const { state, info } = await this.#handle.describe();
      const { numActionsTaken: taken, numActionsSkippedOverlap: skipped } = info;
      const [running, recent] = [info.runningActions.length, info.recentActions.length];
      return { isPaused: state.paused, taken, skipped, running, recent };
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) return undefined;
      throw error;
    }
  }

  get #handle(): ScheduleHandle {
    return this.#stage.client.schedule.getHandle(`${this.#stage.workflowId}-schedule`);
  }

  async #create(steps: ScheduleAction['steps']): Promise<void> {
    const { client, workflowId, taskQueue } = this.#stage;
    const scheduleId = `${workflowId}-schedule`;
    await client.schedule.create({
      scheduleId,
      spec: { intervals: [{ every: '30 days' }] },
      action: {
        type: 'startWorkflow',
        workflowType: 'scripted',
        workflowId: scheduleId,
        taskQueue,
        args: [{ steps, log: [] }],
      },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, pauseOnFailure: true },
    });
  }

  async #lastRun() {
    const { info } = await this.#handle.describe();
    const id = info.recentActions.at(-1)?.action.workflow.workflowId ?? '';
    return this.#stage.client.workflow.getHandle(id);
  }

  async #endRun(): Promise<string> {
    await (await this.#lastRun()).signal('end');
    return 'done';
  }

  async #result(): Promise<string> {
    const run = await this.#lastRun();
    try {
      return JSON.stringify(await run.result());
    } catch (error) {
      return describeFailure(error);
    }
  }
}
