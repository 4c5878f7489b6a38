/** Instances that no Machine of ours asked for. */
import type { Chance } from '../engine/chance.ts';
import type { Weather } from '../world/weather.ts';
import { chancesFor } from './chances.ts';
import type { SimulatedCloud } from './cloud.ts';
import type { InstanceRecord } from './records.ts';
import type { CloudTrouble } from './trouble.ts';

export interface StrangersParts {
  weather: Weather;
  cloud: SimulatedCloud;
  trouble: CloudTrouble;
  chance: Chance;
}

export const tagNames = {
  cluster: 'millwright.dev/cluster',
  namespace: 'millwright.dev/namespace',
  machineUid: 'millwright.dev/machine-uid',
} as const;

export class Strangers {
  readonly #parts: StrangersParts;

  constructor(parts: StrangersParts) {
    this.#parts = parts;
  }

  start(): void {
    const { weather, trouble, chance } = this.#parts;
    const { foreignAnHour, orphansAnHour } = chancesFor(chance, trouble);
    weather.often(trouble.foreignAnHour, () => this.#addForeign(foreignAnHour), foreignAnHour);
    weather.often(trouble.orphansAnHour, () => this.#addOrphan(orphansAnHour), orphansAnHour);
  }

  /** We leave these alone, also where they bear the name of a Machine. */
  #addForeign(chance: Chance): void {
    const { cloud } = this.#parts;
    const ours = this.#pickOurs(chance);
    const name = ours && chance.happens(0.5) ? ours.name : newName(chance);
    const ofAnotherCluster = {
      [tagNames.cluster]: chance.uuid(),
      [tagNames.namespace]: ours?.tags[tagNames.namespace] ?? 'default',
      [tagNames.machineUid]: chance.uuid(),
    };
    const ofAnotherNamespace = {
      ...ours?.tags,
      [tagNames.namespace]: 'of-another-install',
      [tagNames.machineUid]: chance.uuid(),
    };
    const tags = chance.pick([{}, { team: 'other' }, ofAnotherCluster, ofAnotherNamespace]);
    cloud.addForeign({ name, tags });
  }

  /** As one that a forgotten operator left: the search for orphans has to find it. */
  #addOrphan(chance: Chance): void {
    const { cloud } = this.#parts;
    const ours = this.#pickOurs(chance);
    if (!ours) return;
    const tags = { ...ours.tags, [tagNames.machineUid]: chance.uuid() };
    cloud.addForeign({ name: newName(chance), tags });
  }

  #pickOurs(chance: Chance): InstanceRecord | undefined {
    const ours = [...this.#parts.cloud.living].filter(({ createdBy }) => createdBy !== 'cloud');
    return ours.length === 0 ? undefined : chance.pick(ours);
  }
}

function newName(chance: Chance): string {
  return `stranger-${chance.uuid().slice(0, 8)}`;
}
