/**
 * Machines on their way up as this process wrote them last. The next step of such a Machine begins
 * with what the last one left instead of a read (docs/decisions/0039-record-with-the-create.md).
 */
import type { Machine } from '../../workflows/api/machine.ts';
import type { ObjectMeta } from '../../workflows/api/meta.ts';
import type { KubeClient } from '../../kube/client/client.ts';

/**
 * Machines of all namespaces of the process together, some 5 KB each. One worker may keep a Machine
 * with which another goes on. A dropped one is read again.
 */
const most = 1_000;
/** A Machine of a tenant may have 1.4 MB: a thousand of those fill the memory of all. */
const longest = 32 * 1024;

/** By client and UID, the oldest first. */
const written = new Map<string, Machine>();
const clients = new WeakMap<KubeClient, string>();
let clientCount = 0;

/** Instead of what was kept of this Machine before. */
export function keepWritten(control: KubeClient, machine: Machine): void {
  const { managedFields: _long, ...metadata }: ObjectMeta & { managedFields?: unknown } =
    machine.metadata;
  const key = keyOf(control, metadata.uid);
  written.delete(key);
  const kept = { ...machine, metadata };
  if (JSON.stringify(kept).length > longest) return;
  written.set(key, kept);
  const [oldest] = written.keys();
  if (written.size > most && oldest !== undefined) written.delete(oldest);
}

/**
 * Once. A caller that writes it names its version as precondition; one that only reads says which
 * version it has to be.
 */
export function takeWritten(
  control: KubeClient,
  { uid, resourceVersion }: { uid: string; resourceVersion?: string },
): Machine | undefined {
  const key = keyOf(control, uid);
  const machine = written.get(key);
  written.delete(key);
  const isMeant =
    resourceVersion === undefined || machine?.metadata.resourceVersion === resourceVersion;
  return isMeant ? machine : undefined;
}

/** Each client is one cluster as one process sees it, of which a simulation has several. */
function keyOf(control: KubeClient, uid: string): string {
  let client = clients.get(control);
  if (client === undefined) {
    clientCount += 1;
    client = String(clientCount);
    clients.set(control, client);
  }
  return `${client}/${uid}`;
}
