/** What this folder runs: a simulated world, behind one function. */
import { Simulation, type Violation } from '../engine/simulation.ts';
import { Timeline } from '../engine/timeline.ts';

/** All that decides what happens in a run: the same setup runs the same way, event by event. */
export interface Setup {
  seed: number;
  machines: number;
  /** Simulated, in which faults happen and users act. The world comes to rest afterwards. */
  hours: number;
  /** Kinds of faults, by name. */
  faults: readonly string[];
  /** Kinds of what users do, by name. */
  users: readonly string[];
}

export interface Outcome {
  /** A run ends with its first one. */
  violations: readonly Violation[];
  /** Of machines, from creation to end. */
  lives: number;
  events: number;
  timeline: Timeline;
  simulatedMs: number;
}

export interface Simulator {
  simulate(setup: Setup): Promise<Outcome>;
  /** All kinds there are, in a fixed order. */
  readonly faultNames: readonly string[];
  readonly userNames: readonly string[];
}

/** The URL of the module that has the world. */
export const worldModule = new URL('../world/simulate.ts', import.meta.url).href;

/** Of another module in tests of this folder. */
export async function loadSimulator(module = worldModule): Promise<Simulator> {
  const { simulate, faultNames, userNames }: Simulator = await import(module);
  return { simulate, faultNames, userNames };
}

/** Of every simulation, milliseconds since 1970. */
export const { startMs } = new Simulation(0);

/** Not a rule of the judge: the run itself ended with an error. */
export const crashRule = 'the simulation itself does not fail';

/** An error that the simulation throws becomes a violation, so that it is shrunk as well. */
export async function outcomeOf(simulator: Simulator, setup: Setup): Promise<Outcome> {
  try {
    return await simulator.simulate(setup);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return {
      violations: [{ at: startMs, rule: crashRule, text }],
      lives: 0,
      events: 0,
      timeline: new Timeline(startMs),
      simulatedMs: 0,
    };
  }
}
