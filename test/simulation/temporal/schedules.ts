/** Temporal's schedules: intervals with an offset, and no second run beside one that is open. */
import type { temporal } from '@temporalio/proto';
import Long from 'long';
import type { Timer } from '../../../activities/system/system.ts';
import type { Simulation } from '../engine/simulation.ts';
import { millisecondsOf, partsOf } from './durations.ts';
import type { Execution } from './execution.ts';
import { GrpcError } from './grpc-errors.ts';
import type { Payload } from './messages.ts';

export type ScheduleSpec = temporal.api.schedule.v1.ISchedule;
type StartWorkflow = temporal.api.workflow.v1.INewWorkflowExecutionInfo;
type StartRun = (
  workflow: StartWorkflow,
  workflowId: string,
  lastResult: Payload | undefined,
) => Execution;

interface Taken {
  /** When it was due, and when it was started; milliseconds. */
  dueAt: number;
  startedAt: number;
  workflowId: string;
  runId: string;
}

interface Schedule {
  spec: ScheduleSpec;
  memo: Record<string, Payload>;
  searchAttributes: Record<string, Payload>;
  createdAt: number;
  updatedAt: number | undefined;
  running: Execution | undefined;
  /** The run whose failure paused the schedule. After it is resumed, it pauses it no more. */
  pausedFor: string | undefined;
  /** Of the last run that completed. */
  lastResult: Payload | undefined;
  /** The latest runs. */
  recent: readonly Taken[];
  takenCount: number;
  skippedCount: number;
  timer: Timer | undefined;
}

/** Of them Temporal remembers so many. */
const recentMax = 10;

export interface NewSchedule {
  schedule: ScheduleSpec;
  memo: Record<string, Payload>;
  searchAttributes: Record<string, Payload>;
}

export class Schedules {
  readonly #simulation: Simulation;
  readonly #start: StartRun;
  readonly #schedules = new Map<string, Schedule>();

  constructor(simulation: Simulation, start: StartRun) {
    this.#simulation = simulation;
    this.#start = start;
  }

  create(id: string, { schedule, memo, searchAttributes }: NewSchedule): void {
    if (this.#schedules.has(id)) {
      throw new GrpcError('ALREADY_EXISTS', `schedule "${id}" is already registered`);
    }
    const made: Schedule = {
      spec: schedule,
      memo,
      searchAttributes,
      createdAt: this.#simulation.now,
      updatedAt: undefined,
      running: undefined,
      pausedFor: undefined,
      lastResult: undefined,
      recent: [],
      takenCount: 0,
      skippedCount: 0,
      timer: undefined,
    };
    this.#schedules.set(id, made);
    this.#plan(made);
  }

  update(id: string, spec: ScheduleSpec): void {
    const schedule = this.#found(id);
    schedule.spec = spec;
    schedule.updatedAt = this.#simulation.now;
    schedule.timer?.cancel();
    this.#plan(schedule);
  }

  delete(id: string): void {
    this.#found(id).timer?.cancel();
    this.#schedules.delete(id);
  }

  describe(id: string): temporal.api.workflowservice.v1.IDescribeScheduleResponse {
    const schedule = this.#found(id);
    pauseAfterFailure(schedule);
    const { spec, memo, searchAttributes } = schedule;
    return {
      schedule: spec,
      info: infoOf(schedule),
      memo: { fields: memo },
      searchAttributes: { indexedFields: searchAttributes },
    };
  }

  pause(id: string, isPaused: boolean, notes: string): void {
    const { spec } = this.#found(id);
    spec.state = { ...spec.state, paused: isPaused, notes };
  }

  /** One run now, beside the usual ones: also of a schedule that is paused. */
  trigger(id: string): void {
    const schedule = this.#found(id);
    pauseAfterFailure(schedule);
    this.#act(schedule, this.#simulation.now);
  }

  /**
   * What the function that it returns brings back, once.
   *
   * @param current The same run after the restore.
   */
  backup(current: (execution: Execution) => Execution): () => void {
    const saved = Array.from(this.#schedules, ([id, schedule]) => [id, { ...schedule }] as const);
    return () => {
      this.clear();
      for (const [id, { running, ...rest }] of saved) {
        const schedule: Schedule = { ...rest, running: running && current(running) };
        this.#schedules.set(id, schedule);
        this.#plan(schedule);
      }
    };
  }

  clear(): void {
    for (const { timer } of this.#schedules.values()) timer?.cancel();
    this.#schedules.clear();
  }

  #found(id: string): Schedule {
    const schedule = this.#schedules.get(id);
    if (!schedule) throw new GrpcError('NOT_FOUND', `schedule "${id}" not found`);
    return schedule;
  }

  #plan(schedule: Schedule): void {
    const at = nextTime(schedule.spec, this.#simulation.now);
    if (at === undefined) return;
    schedule.timer = this.#simulation.after(at - this.#simulation.now, () => {
      pauseAfterFailure(schedule);
      if (!schedule.spec.state?.paused) this.#act(schedule, at);
      this.#plan(schedule);
    });
  }

  #act(schedule: Schedule, at: number): void {
    const workflow = schedule.spec.action?.startWorkflow;
    if (!workflow) return;
    if (schedule.running?.isOpen) {
      schedule.skippedCount += 1;
      return;
    }
    // As Temporal names them.
    const time = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
    schedule.lastResult = schedule.running?.result ?? schedule.lastResult;
    const workflowId = `${workflow.workflowId}-${time}`;
    const running = this.#start(workflow, workflowId, schedule.lastResult);
    schedule.running = running;
    schedule.takenCount += 1;
    const { runId } = running.run;
    const taken = { dueAt: at, startedAt: this.#simulation.now, workflowId, runId };
    schedule.recent = [...schedule.recent, taken].slice(-recentMax);
  }
}

function infoOf(schedule: Schedule): temporal.api.schedule.v1.IScheduleInfo {
  const { createdAt, updatedAt, running, recent, takenCount, skippedCount } = schedule;
  return {
    createTime: partsOf(createdAt),
    ...(updatedAt !== undefined && { updateTime: partsOf(updatedAt) }),
    actionCount: Long.fromNumber(takenCount),
    overlapSkipped: Long.fromNumber(skippedCount),
    runningWorkflows: running?.isOpen
      ? [{ workflowId: running.run.workflowId, runId: running.run.runId }]
      : [],
    recentActions: recent.map(({ dueAt, startedAt, workflowId, runId }) => ({
      scheduleTime: partsOf(dueAt),
      actualTime: partsOf(startedAt),
      startWorkflowResult: { workflowId, runId },
    })),
  };
}

const failures = new Set(['FAILED', 'TIMED_OUT']);

/** Temporal does so when the run ends; nothing is started in between. */
function pauseAfterFailure(schedule: Schedule): void {
  const { spec, running, pausedFor } = schedule;
  const { policies, state } = spec;
  if (!policies?.pauseOnFailure || state?.paused || !running) return;
  if (!failures.has(running.status) || running.run.runId === pausedFor) return;
  schedule.pausedFor = running.run.runId;
  const notes = `paused, workflow ${running.status.toLowerCase()}: ${running.run.workflowId}`;
  spec.state = { ...state, paused: true, notes };
}

/** The next of its intervals, which count from 1970 on. */
function nextTime({ spec }: ScheduleSpec, now: number): number | undefined {
  const times = (spec?.interval ?? []).map(({ interval, phase }) => {
    const every = millisecondsOf(interval);
    const offset = millisecondsOf(phase);
    return (Math.floor((now - offset) / every) + 1) * every + offset;
  });
  return times.length === 0 ? undefined : Math.min(...times);
}
