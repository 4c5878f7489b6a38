/** What goes wrong with controllers. */
import type { Chance } from '../engine/chance.ts';
import type { Simulation } from '../engine/simulation.ts';
import { lasting } from '../disasters/lasting.ts';
import { noneOf } from '../world/trouble.ts';
import type { Weather } from '../world/weather.ts';

export const allControllerTrouble = {
  /** Of what a controller does: it comes late, by up to 20 s. */
  lateActions: 0.03,
  /** An hour, of each controller: it stops for up to five minutes. */
  stopsAnHour: 0.3,
  /** An hour, of each controller: it acts on what it knew up to half a minute ago. */
  staleAnHour: 1,
  /** Of pods that are deleted: they do not terminate before the weather clears. */
  stuckPods: 0.02,
  /** Of volumes that are detached: it takes minutes. */
  slowDetaches: 0.1,
};

export type ControllerTrouble = Readonly<Record<keyof typeof allControllerTrouble, number>>;

export const calmControllers: ControllerTrouble = noneOf(allControllerTrouble);

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
      lasting({ simulation, weather }, chance.between(1_000, longestMs), end);
    },
    chance,
  );
}
