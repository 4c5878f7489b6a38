/** A call over the network: what may happen on its way there, and on its way back. */
import type { SimulatedProcess } from './process.ts';
import type { Simulation } from './simulation.ts';

/** Decided when the call is sent. */
export interface Fate {
  /** On the way there, milliseconds. */
  requestMs: number;
  /** On the way back, milliseconds. */
  answerMs: number;
  /** The request never arrives, or its answer never comes back. */
  lost?: 'request' | 'answer' | undefined;
  /** The caller of a lost call hears nothing; otherwise that the connection broke. */
  isSilent?: boolean | undefined;
  /** It is carried out a second time, this much later, milliseconds. */
  againAfterMs?: number | undefined;
  /** When the caller's process is killed. */
  kill?: 'before' | 'after' | undefined;
}

/** The connection broke: whether the call was carried out, the caller does not know. */
export class ConnectionBroken extends Error {
  override name = 'ConnectionBroken';
}

export interface Call<T> {
  process: SimulatedProcess;
  fate: Fate;
  /** Carries the call out, where it arrives. */
  effect(): T | Promise<T>;
}

/** Stays open for a call that is lost in silence, and for a caller that is dead. */
export function journey<T>(simulation: Simulation, call: Call<T>): Promise<T> {
  const { process, fate } = call;
  // A dead process sends nothing.
  if (!process.isAlive) return new Promise(() => undefined);
  return new Promise((resolve, reject) => {
    function answer(deliver: () => void): void {
      simulation.after(fate.answerMs, () => {
        if (fate.lost === undefined) return process.isAlive ? deliver() : undefined;
        if (!fate.isSilent && process.isAlive) reject(new ConnectionBroken('the connection broke'));
      });
    }
    simulation.after(fate.requestMs, () => {
      if (fate.kill === 'before') return process.kill();
      if (fate.lost === 'request') return answer(() => undefined);
      if (fate.againAfterMs !== undefined) again(simulation, call, fate.againAfterMs);
      void carryOut(call).then(
        (value) => answer(() => resolve(value)),
        (error: unknown) => answer(() => reject(error)),
      );
      if (fate.kill === 'after') process.kill();
    });
  });
}

/** An error of it is its answer, also one that it throws at once. */
async function carryOut<T>({ effect }: Call<T>): Promise<T> {
  return await effect();
}

function again<T>(simulation: Simulation, call: Call<T>, afterMs: number): void {
  simulation.after(afterMs, () => {
    // Nobody waits for the second answer.
    carryOut(call).catch(() => undefined);
  });
}
