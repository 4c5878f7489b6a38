/** Counts what was called and what came of it: the evidence for "exactly one machine each". */
import type { JournalEntry } from './happenings.ts';

type Counts = Record<string, number>;

export interface CallReport {
  /** Operation -> outcome -> calls. */
  operations: Record<string, Counts>;
  /** Creates that were answered with the machine that the token had made before. */
  createsFromKnownToken: number;
  /** How many distinct machines a token ever had: more than 1 is a fault of this cloud. */
  machinesPerToken: { max: number; offenders: Record<string, string[]> };
  /** Name -> how many machines of that name ever existed. */
  createsPerName: Counts;
  /** Name -> how many machines of that name vanished: a fault that was ordered. */
  vanishedPerName: Counts;
}

interface NameCounts {
  operations: Record<string, Counts>;
  vanished: number;
  machinesByToken: Map<string, string[]>;
}

export class CallCounters {
  readonly #byName = new Map<string, NameCounts>();

  apply(entry: JournalEntry): void {
    if (entry.type === 'vanished') this.#countsOf(entry.name).vanished += 1;
    if (entry.type !== 'call') return;
    const { operations, machinesByToken } = this.#countsOf(entry.name);
    const counts = (operations[entry.operation] ??= {});
    counts[entry.outcome] = (counts[entry.outcome] ?? 0) + 1;
    if (!entry.created) return;
    const { token, id } = entry.created;
    machinesByToken.set(token, [...(machinesByToken.get(token) ?? []), id]);
  }

  /** Over the names that are wanted. */
  report(isWanted: (name: string) => boolean): CallReport {
    const wanted = [...this.#byName].filter(([name]) => isWanted(name));
    const operations: Record<string, Counts> = {};
    const createsPerName: Counts = {};
    const vanishedPerName: Counts = {};
    for (const [name, counts] of wanted) {
      addUp(operations, counts.operations);
      const made = [...counts.machinesByToken.values()].flat().length;
      if (made > 0) createsPerName[name] = made;
      if (counts.vanished > 0) vanishedPerName[name] = counts.vanished;
    }
    return {
      operations,
      createsFromKnownToken: operations['create']?.['known'] ?? 0,
      machinesPerToken: perToken(wanted.map(([, { machinesByToken }]) => machinesByToken)),
      createsPerName,
      vanishedPerName,
    };
  }

  #countsOf(name: string): NameCounts {
    const known = this.#byName.get(name);
    if (known) return known;
    const counts: NameCounts = { operations: {}, vanished: 0, machinesByToken: new Map() };
    this.#byName.set(name, counts);
    return counts;
  }
}

function addUp(sum: Record<string, Counts>, more: Record<string, Counts>): void {
  for (const [operation, outcomes] of Object.entries(more)) {
    const counts = (sum[operation] ??= {});
    for (const [outcome, count] of Object.entries(outcomes)) {
      counts[outcome] = (counts[outcome] ?? 0) + count;
    }
  }
}

function perToken(maps: Map<string, string[]>[]): CallReport['machinesPerToken'] {
  // One token under two names would be a fault too.
  const all = new Map<string, string[]>();
  for (const [token, ids] of maps.flatMap((map) => [...map])) {
    all.set(token, [...(all.get(token) ?? []), ...ids]);
  }
  const offenders = [...all].filter(([, ids]) => ids.length > 1);
  return {
    max: [...all.values()].reduce((max, ids) => Math.max(max, ids.length), 0),
    offenders: Object.fromEntries(offenders),
  };
}
