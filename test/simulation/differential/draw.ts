/** Draws the steps of a comparison from a seed. */
import type { Call } from '../../../kube/client/http-client.ts';
import { Chance } from '../engine/chance.ts';
import { Reads } from './draw-reads.ts';
import { Writes } from './draw-writes.ts';
import { kinds } from './kinds.ts';
import type { Kind } from './kinds.ts';
import { drawPlace } from './places.ts';
import type { Place } from './places.ts';
import type { Step } from './steps.ts';

export interface DrawOptions {
  seed: number;
  /** Steps, at least. */
  count: number;
  /** Between two settlements. */
  round: number;
  /** Before which settlements the history is cut: every so many rounds. */
  roundsOfCompaction: number;
}

export function drawSteps({ seed, count, round, roundsOfCompaction }: DrawOptions): Step[] {
  const draw = new Draw(new Chance(seed));
  draw.mark();
  for (let rounds = 1; draw.steps.length < count; rounds += 1) {
    draw.round(round);
    if (rounds % roundsOfCompaction === 0) draw.compaction();
  }
  return draw.steps;
}

/** Nothing else writes there. */
const markPath = '/api/v1/namespaces/mark/configmaps';

class Draw {
  readonly steps: Step[] = [];
  readonly #chance: Chance;
  readonly #madeUp: Place[] = [];
  readonly #reads: Reads;
  readonly #writes: Writes;

  constructor(chance: Chance) {
    this.#chance = chance;
    this.#reads = new Reads(chance);
    this.#writes = new Writes(chance);
  }

  /** So that there is a version. */
  mark(): void {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mark' } };
    this.steps.push({ do: 'call', call: { method: 'POST', path: markPath, body } });
  }

  /** With a version behind it that is not forgotten. */
  compaction(): void {
    this.steps.push({ do: 'compact' });
    this.#touchMark();
  }

  round(length: number): void {
    const end = this.steps.length + length;
    while (this.steps.length < end) this.#one(this.#place(kinds));
    this.steps.push({ do: 'settle' });
  }

  /** Now and then an object whose name a server made up. */
  #place(of: readonly Kind[]): Place {
    const place = drawPlace(this.#chance, of);
    const isMadeUp = this.#chance.happens(0.1) && this.#madeUp.length > 0;
    return isMadeUp ? this.#chance.pick(this.#madeUp) : place;
  }

  #create(place: Place): void {
    const step = this.steps.length;
    const call = this.#writes.create(place, step);
    this.steps.push({ do: 'call', call });
    if (!JSON.stringify(call).includes('generateName')) return;
    this.#madeUp.push({ ...place, name: `$name:${step}` });
    if (this.#madeUp.length > 10) this.#madeUp.shift();
  }

  #one(place: Place): void {
    const chance = this.#chance;
    const [reads, writes, { steps }] = [this.#reads, this.#writes, this];
    const call = (value: Call): void => void steps.push({ do: 'call', call: value });
    const choices: { value: () => void; weight: number }[] = [
      { weight: 20, value: () => this.#create(place) },
      { weight: 8, value: () => call(writes.replace(place, steps.length)) },
      { weight: 26, value: () => call(writes.patch(place)) },
      { weight: 10, value: () => call(writes.delete(place)) },
      { weight: 5, value: () => call(writes.release(place)) },
      { weight: 8, value: () => call(reads.get(place)) },
      { weight: 9, value: () => call(reads.list(place, false)) },
      { weight: 2, value: () => this.#freshList(place) },
      { weight: 4, value: () => this.#pages(place) },
      { weight: 3, value: () => this.#evict(place) },
      { weight: 4, value: () => void steps.push({ do: 'watch', ...reads.watch(place) }) },
      { weight: 2, value: () => call(reads.malformed(place)) },
    ];
    chance.weighted(choices)?.();
  }

  #evict(place: Place): void {
    const pods = kinds.filter(({ kind }) => kind === 'Pod');
    const pod = drawPlace(this.#chance, pods);
    this.steps.push({ do: 'call', call: this.#writes.evict({ ...pod, name: place.name }) });
  }

  /** A cache that answers it is as new as the write before. */
  #freshList(place: Place): void {
    this.#touchMark();
    this.steps.push({ do: 'call', call: this.#reads.list(place, true) });
  }

  #touchMark(): void {
    const body = { data: { step: String(this.steps.length) } };
    const contentType = 'application/merge-patch+json';
    const path = `${markPath}/mark`;
    this.steps.push({ do: 'call', call: { method: 'PATCH', path, contentType, body } });
  }

  /** With writes between them, now and then. */
  #pages(place: Place): void {
    const first = this.#reads.page(place);
    this.steps.push({ do: 'call', call: first });
    for (let more = this.#chance.below(3); more > 0; more -= 1) {
      if (this.#chance.happens(0.3)) this.#one(this.#place([place.kind]));
      this.steps.push({ do: 'call', call: this.#reads.nextPage(first) });
    }
  }
}
