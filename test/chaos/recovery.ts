/**
 * How long after a kill the next wish is heard: from the spec of a MachineDeployment through
 * watcher, Temporal and worker to its status.
 */
import type { Component } from './action.ts';
import { persistently, probe, type World } from './world.ts';

export interface Recovery {
  /** `nothing`: measured at rest, to compare with. */
  killed: Component | 'nothing';
  seconds: number;
  /** Something else was killed meanwhile, or just before: this time says nothing of one kill. */
  isDisturbed: boolean;
}

/** Looks often, so that short times are told apart. */
const pollMilliseconds = 50;

export class RecoveryProbe {
  readonly recoveries: Recovery[] = [];
  readonly #world: World;
  #pending: Promise<void>[] = [];
  #underWay = 0;
  #kills = 0;
  #wishes = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Begins to measure; `settled` says when it is over. */
  begin(killed: Recovery['killed']): void {
    if (killed !== 'nothing') this.#kills += 1;
    const measuring = this.#measure(killed, this.#underWay > 0);
    this.#pending.push(measuring);
    // Its failure is for who waits in `settled`.
    measuring.catch(() => undefined);
  }

  /** Throws when a wish was not heard for two minutes. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
    this.#pending = [];
  }

  async #measure(killed: Recovery['killed'], isAmongOthers: boolean): Promise<void> {
    this.#underWay += 1;
    const start = performance.now();
    const kills = this.#kills;
    this.#wishes += 1;
    const { cluster } = this.#world;
    const spec = { revisionHistoryLimit: this.#wishes };
    const patched = await persistently(`a wish is taken after a kill of ${killed}`, () =>
      cluster.patch('machinedeployments', probe, { spec }),
    );
    const generation = patched.metadata.generation ?? 0;
    await this.#untilHeard(generation, killed);
    const seconds = (performance.now() - start) / 1_000;
    this.#underWay -= 1;
    const isDisturbed = isAmongOthers || this.#kills !== kills;
    this.recoveries.push({ killed, seconds, isDisturbed });
  }

  async #untilHeard(generation: number, killed: Recovery['killed']): Promise<void> {
    const { cluster } = this.#world;
    const look = async (): Promise<void> => {
      const { status } = await cluster.deployment(probe);
      const seen = status?.observedGeneration ?? 0;
      if (seen < generation) throw new Error(`generation ${seen} of ${generation} is observed`);
    };
    await persistently(`a wish is heard after a kill of ${killed}`, look, pollMilliseconds);
  }
}
