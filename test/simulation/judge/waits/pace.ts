/** Workflows rest between their steps: none goes on and on, and no history grows without bound. */
import type { History } from '../../temporal/history.ts';
import type { Evidence } from '../evidence.ts';

const periodMs = 60_000;
/**
 * A rollout that has news all the time takes some steps a second, each with some events; nothing
 * needs this many: in six worlds of 8 machines with all faults the most was 250. Loops without a
 * rest had 800 (of calls that take their time) and 6,938. By workflow, over all its runs.
 */
const eventsMost = 750;
/**
 * Where each event counts for many, a run ends after some fifty, and with it what it knew of steps
 * that another controller takes back: the next one takes them as fast.
 */
const eventsMostOfShortRuns = 3_000;
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
  let before = new Map<string, number>();
  function check(): void {
    const now = new Map<string, number>();
    const grown = new Map<string, number>();
    let most = eventsMost;
    for (const { run, history, isOpen } of world.temporal.engine.executions()) {
      now.set(run.runId, history.length);
      if (history.weight > 1) most = eventsMostOfShortRuns;
      const news = history.length - (before.get(run.runId) ?? 0);
      grown.set(run.workflowId, (grown.get(run.workflowId) ?? 0) + news);
      const isCheck = run.workflowId.startsWith('safety/');
      if (!isOpen || isCheck || history.weighed < longestOf(history)) continue;
      const text = `a run of ${run.workflowId} has ${history.weighed} events`;
      evidence.rulings.against('a history stays short', run.workflowId, text);
    }
    before = now;
    for (const [id, events] of grown) {
      if (events < most) continue;
      const text = `${id} had ${events} events within a minute`;
      evidence.rulings.against('a workflow rests between its steps', id, text);
    }
    simulation.after(periodMs, check);
  }
  simulation.after(periodMs, check);
}
