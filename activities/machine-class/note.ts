/** The annotation `millwright.dev/invalid` of a MachineClass, which has no status in MCM's API. */
import type { ObjectRef } from '../../workflows/activities.ts';
import { annotations, apiVersion } from '../../workflows/api/constants.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { NoteChange } from '../../workflows/plan/class-note.ts';
import type { KubeClient } from '../kube/client.ts';
import { recordEvent } from '../kube/events.ts';
import { orUndefined, unlessChanged } from '../kube/optional.ts';
import { customResource } from '../kube/paths.ts';
import { component } from '../machine/object.ts';

/** Two may write a class at once, as where its first machine begins to use it; more have no reason to. */
const triesMax = 4;

/** `decide` gets the note that stands there; undefined changes nothing. */
export async function changeNote(
  control: KubeClient,
  { namespace, name }: ObjectRef,
  decide: (note: string | undefined) => NoteChange | undefined,
): Promise<void> {
  const path = customResource('machineclasses', namespace, name);
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const found = await orUndefined(control.get<MachineClass>(path));
    const change = found && decide(noteIn(found));
    if (!found || !change) return;
    const { note = null, event } = change;
    const { uid, resourceVersion } = found.metadata;
    const metadata = { uid, resourceVersion, annotations: { [annotations.invalid]: note } };
    if (!(await unlessChanged(control.patch(path, 'merge', { metadata })))) continue;
    const subject = { apiVersion, kind: 'MachineClass', namespace, name, uid };
    recordEvent(control, subject, { ...event, component });
    return;
  }
  throw new Error(`MachineClass ${name} changed ${triesMax} times while it was written`);
}

export function noteIn({ metadata }: MachineClass): string | undefined {
  return metadata.annotations?.[annotations.invalid];
}
