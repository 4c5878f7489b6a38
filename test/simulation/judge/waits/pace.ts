/** Workflows rest between their steps: none goes on and on, and no history grows without bound. */
import type { History } from '../../temporal/history.ts';
import type { Evidence } from '../evidence.ts';

const periodMs = 60_000;
/** Of a workflow within a minute, over all its runs. */
interface Most {
  events: number;
  /** Of the workflow of a Machine, those that no signal explains. */
  steps: number;
}

/**
 * A rollout that has news all the time takes some steps a second, each with some events; nothing
 * needs this many: in six worlds of 8 machines with all faults the most was 250. Loops without a
 * rest had 800 (of calls that take their time) and 6,938. Of steps the most was 19 in 64 worlds,
 * and a loop of checks that an outage slows down had 38.
 */
const most: Most = { events: 750, steps: 30 };
/**
 * Where each event counts for many, a run ends after some fifty, and with it what it knew of steps
 * that another controller takes back, or that fail: the next one takes them as fast.
 */
const mostOfShortRuns: Most = { events: 3_000, steps: 400 };

/** A signal is a reason for a step and for what follows from it. */
const stepsOf: Readonly<Record<string, number>> = {
  MARKER_RECORDED: 1,
  ACTIVITY_TASK_SCHEDULED: 1,
  WORKFLOW_EXECUTION_SIGNALED: -2,
};

/**
 * From here on the server warns. By the docs a run goes on as a new one after 1,000 events, or
 * after 4,000 beside a step; signals that come while no worker works are on top.
 */
const longestHistory = 10_240;
/** Where each event counts for many, so do the signals of minutes in which a step does not end. */
const longestOfShortRuns = 2 * longestHistory;

function longestOf({ weight }: History): number {
  return weight > 1 ? longestOfShortRuns : longestHistory;
}

export function watchPace(evidence: Evidence): void {
  const { simulation, world } = evidence;
  const pace = new Pace(evidence);
  function check(): void {
    for (const execution of world.temporal.engine.executions()) pace.count(execution);
    pace.judge();
    simulation.after(periodMs, check);
  }
  simulation.after(periodMs, check);
}

interface Execution {
  run: { runId: string; workflowId: string };
  history: History;
  isOpen: boolean;
}

class Pace {
  readonly #evidence: Evidence;
  /** Events of each run, at the last check and at this one. */
  #before = new Map<string, number>();
  #now = new Map<string, number>();
  /** Events of each workflow since the last check. */
  #grown = new Map<string, number>();
  /** Steps of each workflow of a Machine since the last check. */
  #steps = new Map<string, number>();
  #most = most;

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
  }

  count({ run, history, isOpen }: Execution): void {
    const { runId, workflowId } = run;
    this.#now.set(runId, history.length);
    if (history.weight > 1) this.#most = mostOfShortRuns;
    const fresh = history.types.slice(this.#before.get(runId) ?? history.inherited);
    this.#grown.set(workflowId, (this.#grown.get(workflowId) ?? 0) + fresh.length);
    if (workflowId.startsWith('machine/')) this.#countSteps(workflowId, fresh);
    const isCheck = workflowId.startsWith('safety/');
    if (!isOpen || isCheck || history.weighed < longestOf(history)) return;
    const text = `a run of ${workflowId} has ${history.weighed} events`;
    this.#evidence.rulings.against('a history stays short', workflowId, text);
  }

  #countSteps(workflowId: string, events: readonly string[]): void {
    let steps = this.#steps.get(workflowId) ?? 0;
    for (const type of events) steps += stepsOf[type] ?? 0;
    this.#steps.set(workflowId, steps);
  }

  judge(): void {
    for (const [id, events] of this.#grown) {
      if (events >= this.#most.events) this.#accuse(id, `${events} events`);
    }
    for (const [id, steps] of this.#steps) {
      if (steps >= this.#most.steps) this.#accuse(id, `${steps} steps without news`);
    }
    [this.#before, this.#now] = [this.#now, new Map()];
    this.#grown = new Map();
    this.#steps = new Map();
    this.#most = most;
  }

  #accuse(id: string, what: string): void {
    this.#evidence.rulings.against(
      'a workflow rests between its steps',
      id,
      `${id} had ${what} within a minute`,
    );
  }
}
