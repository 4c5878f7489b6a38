/**
 * Machines on their way up as this process wrote them last. The next step of such a Machine begins
 * with what the last one left instead of a read (docs/decisions/0039-record-with-the-create.md).
 */
import type { Machine } from '../../workflows/api/machine.ts';
import type { ObjectMeta } from '../../workflows/api/meta.ts';

/**
 * Of all namespaces of the process together, some 5 KB each. Of two workers one may keep what the
 * other goes on with. What is dropped is read again.
 */
const most = 1_000;
/** A Machine of a tenant may have 1.4 MB: a thousand of those fill the memory of all. */
const longest = 32 * 1024;

export class WrittenMachines {
  /** By UID, the oldest first. */
  readonly #written = new Map<string, Machine>();

  /** Instead of what was kept of this Machine before. */
  keep(machine: Machine): void {
    const { managedFields: _long, ...metadata }: ObjectMeta & { managedFields?: unknown } =
      machine.metadata;
    this.#written.delete(metadata.uid);
    const kept = { ...machine, metadata };
    if (JSON.stringify(kept).length > longest) return;
    this.#written.set(metadata.uid, kept);
    const [oldest] = this.#written.keys();
    if (this.#written.size > most && oldest !== undefined) this.#written.delete(oldest);
  }

  /**
   * Once. A caller that writes it names its version as precondition; one that only reads says which
   * version it has to be.
   */
  take({ uid, resourceVersion }: { uid: string; resourceVersion?: string }): Machine | undefined {
    const machine = this.#written.get(uid);
    this.#written.delete(uid);
    const isMeant =
      resourceVersion === undefined || machine?.metadata.resourceVersion === resourceVersion;
    return isMeant ? machine : undefined;
  }
}
