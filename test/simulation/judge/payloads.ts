/** Searches what Temporal keeps of workflows for secrets: each activation once, some time later. */
import { isUint8Array } from 'node:util/types';
import type { Simulation } from '../engine/simulation.ts';
import type { Execution } from '../temporal/execution.ts';
import { findSecret, hasSecret } from './secrets.ts';

/** Closed runs are kept for longer. Milliseconds. */
const periodMs = 10 * 60_000;

type Searched = Pick<
  Execution,
  'run' | 'beginning' | 'activations' | 'memo' | 'searchAttributes' | 'result' | 'failure'
>;

export interface PayloadSearch {
  simulation: Simulation;
  engine: { executions(): Iterable<Searched> };
  /** @param where For example `the history of machine/a/b`. */
  accuse(where: string): void;
}

export function searchPayloads({ simulation, engine, accuse }: PayloadSearch): void {
  const searched = new WeakMap<Searched, number>();
  function search(): void {
    for (const execution of engine.executions()) {
      const { activations, run } = execution;
      const from = searched.get(execution) ?? 0;
      if (from === activations.length) continue;
      searched.set(execution, activations.length);
      const { beginning, memo, searchAttributes, result, failure } = execution;
      const parts = [activations.slice(from), beginning.input, memo, searchAttributes];
      if ([...parts, result, failure].some(holdsSecret)) accuse(`the history of ${run.workflowId}`);
    }
    simulation.after(periodMs, search);
  }
  simulation.after(periodMs, search);
}

/** In any text or bytes of it. */
export function holdsSecret(value: unknown): boolean {
  if (typeof value === 'string') return findSecret(value) !== undefined;
  if (typeof value !== 'object' || value === null) return false;
  // That of the sandbox is of another class.
  if (isUint8Array(value)) return hasSecret(value);
  return Object.values(value).some(holdsSecret);
}
