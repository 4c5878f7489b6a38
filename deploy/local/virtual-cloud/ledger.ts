/** State of the virtual cloud: the journal, added up. */
import type { CallHappening, JournalEntry } from './happenings.ts';
import type { Fault } from './faults.ts';
import type { Instance } from './instance.ts';
import { defaultSettings, type Settings } from './settings.ts';

export class Ledger {
  settings: Settings = defaultSettings;
  faults: Fault[] = [];
  /** Every machine that ever was, by id. */
  readonly instances = new Map<string, Instance>();
  /** Those that are. */
  readonly living = new Map<string, Instance>();
  /** The machine that a token stands for, for ever: a deleted one is not made again. */
  readonly byToken = new Map<string, Instance>();

  apply(entry: JournalEntry): void {
    switch (entry.type) {
      case 'call':
        this.#applyCall(entry);
        return;
      case 'settings':
        this.settings = entry.settings;
        return;
      case 'faults':
        this.faults = structuredClone(entry.faults);
        return;
      case 'joined':
        this.#change(entry.id, { nodeUid: entry.nodeUid });
        return;
      case 'sickened':
        this.#change(entry.id, { hasSickened: true });
        return;
      case 'vanished':
        this.#remove(entry.id, entry.at);
        return;
      case 'nodeStopped':
        this.#change(entry.id, { isNodeStopped: true });
        return;
      case 'joinRefused':
        this.#change(entry.id, { joinRefusal: entry.message });
        return;
      case 'started':
    }
  }

  #applyCall({
    at,
    operation,
    id,
    outcome,
    created,
    faults,
  }: CallHappening & { at: number }): void {
    for (const fault of this.faults) if (faults?.includes(fault.id)) fault.fired += 1;
    if (created) this.#add(created);
    if (id === undefined || outcome !== 'ok') return;
    if (operation === 'delete') this.#remove(id, at);
    if (operation === 'initialize') this.#change(id, { isInitialized: true });
  }

  #add(instance: Instance): void {
    const kept = { ...instance };
    this.instances.set(kept.id, kept);
    this.living.set(kept.id, kept);
    this.byToken.set(kept.token, kept);
  }

  #remove(id: string, at: number): void {
    this.#change(id, { deletedAt: at });
    this.living.delete(id);
  }

  #change(id: string, change: Partial<Instance>): void {
    const instance = this.instances.get(id);
    if (instance) Object.assign(instance, change);
  }
}
