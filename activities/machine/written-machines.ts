/**
 * Machines on their way up as this process wrote them last. The next step of such a Machine begins
 * with what the last one left instead of a read (docs/decisions/0039-record-with-the-create.md).
 */
import type { Machine } from '../../workflows/api/machine.ts';
import type { ObjectMeta } from '../../workflows/api/meta.ts';
import type { KubeClient } from '../kube/client/client.ts';

/** Some 4 KB each. What is dropped is read again. */
const most = 1_000;

const written = new WeakMap<KubeClient, Map<string, Machine>>();

/** Instead of what was kept of this Machine before. */
export function keepWritten(control: KubeClient, machine: Machine): void {
  const kept = written.get(control) ?? new Map<string, Machine>();
  written.set(control, kept);
  const { managedFields: _long, ...metadata }: ObjectMeta & { managedFields?: unknown } =
    machine.metadata;
  kept.delete(metadata.uid);
  kept.set(metadata.uid, { ...machine, metadata });
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
}

/**
 * Once, and no longer than until something else is known of the Machine: a caller that writes it
 * names its version as precondition, and one that only reads says which version it has to be.
 */
export function takeWritten(
  control: KubeClient,
  { uid, resourceVersion }: { uid: string; resourceVersion?: string },
): Machine | undefined {
  const kept = written.get(control);
  const machine = kept?.get(uid);
  kept?.delete(uid);
  const isMeant =
    resourceVersion === undefined || machine?.metadata.resourceVersion === resourceVersion;
  return isMeant ? machine : undefined;
}
