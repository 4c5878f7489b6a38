/** Annotations of a MachineClass that say what is wrong with it: MCM's API gives it no status. */
import type { NamespacedName } from '../../workflows/contracts/references.ts';
import { annotations, apiVersion, eventComponents } from '../../workflows/api/constants.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { NoteChange } from '../../workflows/plan/machine-class/note.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { ignoreNotFound, ignoreConflict } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';

/**
 * Two may write a class at once, as where its first machine begins to use it; more have no reason
 * to.
 */
const triesMax = 4;

type Decide = (note: string | undefined) => NoteChange | undefined;

/** `decide` gets what the annotation says; undefined changes nothing. */
export async function changeNote(
  control: KubeClient,
  { namespace, name }: NamespacedName,
  { annotation, decide }: { annotation: string; decide: Decide },
): Promise<void> {
  const path = customResource('machineclasses', namespace, name);
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const found = await ignoreNotFound(control.get<MachineClass>(path));
    const change = found && decide(found.metadata.annotations?.[annotation]);
    if (!found || !change) return;
    const { note = null, event } = change;
    const { uid, resourceVersion } = found.metadata;
    const metadata = { uid, resourceVersion, annotations: { [annotation]: note } };
    if (!(await ignoreConflict(control.patch(path, 'merge', { metadata })))) continue;
    const subject = { apiVersion, kind: 'MachineClass', namespace, name, uid };
    recordEvent(control, subject, { ...event, component: eventComponents.machine });
    return;
  }
  throw new Error(`MachineClass ${name} changed ${triesMax} times while it was written`);
}

export function noteIn({ metadata }: MachineClass): string | undefined {
  return metadata.annotations?.[annotations.invalid];
}
