/** What goes wrong with controllers. */
import type { Chance } from '../engine/chance.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Weather } from '../world/weather.ts';

export interface ControllerTrouble {
  /** Of what a controller does: it comes late, by up to 20 s. */
  lateActions: number;
  /** An hour, of each controller: it stops for up to five minutes. */
  stopsAnHour: number;
  /** An hour, of each controller: it acts on what it knew up to half a minute ago. */
  staleAnHour: number;
  /** Of pods that are deleted: they do not terminate before the weather clears. */
  stuckPods: number;
  /** Of volumes that are detached: it takes minutes. */
  slowDetaches: number;
}

export const calmControllers: ControllerTrouble = {
  lateActions: 0,
  stopsAnHour: 0,
  staleAnHour: 0,
  stuckPods: 0,
  slowDetaches: 0,
};

export const allControllerTrouble: ControllerTrouble = {
  lateActions: 0.03,
  stopsAnHour: 0.3,
  staleAnHour: 1,
  stuckPods: 0.02,
  slowDetaches: 0.1,
};

export interface Spells {
  simulation: Simulation;
  weather: Weather;
  chance: Chance;
  timesAnHour: number;
  longestMs: number;
}

/** Calls `begin` at random moments until the weather clears, and later what it returns. */
export function haveSpells(spells: Spells, begin: () => () => void): void {
  const { simulation, weather, chance, timesAnHour, longestMs } = spells;
  weather.often(
    timesAnHour,
    () => {
      const end = begin();
      let isOver = false;
      const finish = (): void => {
        if (isOver) return;
        isOver = true;
        end();
      };
      simulation.after(chance.between(1_000, longestMs), finish);
      weather.onClear(finish);
    },
    chance,
  );
}
