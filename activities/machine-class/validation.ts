/** Says on a MachineClass what is wrong with it, before any machine is tried. */
import type {
  ClassActivities,
  ReadClassOutcome,
} from '../../workflows/contracts/machine-class-activities.ts';
import type { NamespacedName } from '../../workflows/contracts/references.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import { noteFaults, noteIgnoredKeys } from '../../workflows/plan/machine-class/note.ts';
import { unknownAnnotations } from '../../workflows/values/unknown-annotations.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { ClassDependencies } from './dependencies.ts';
import { classFaults } from './faults.ts';
import { changeNote } from './note.ts';

export async function readMachineClass(
  { control, hasDriver }: ClassDependencies,
  { ref }: { ref: NamespacedName },
): Promise<ReadClassOutcome> {
  const path = customResource('machineclasses', ref.namespace, ref.name);
  const found = await ignoreNotFound(control.get<MachineClass>(path));
  if (!found) return { found: false };
  const { provider = '' } = found;
  return { found: true, provider, hasDriver: await hasDriver(provider) };
}

export async function reportClass(
  dependencies: ClassDependencies,
  { ref, faults, warnings = [], isEdited }: Parameters<ClassActivities['reportClass']>[0],
): Promise<void> {
  const resolved = await dependencies.classes.read(ref.name, { isFresh: true });
  if (!resolved) return;
  const all = [...(await classFaults(dependencies, resolved)), ...faults];
  await changeNote(dependencies.control, ref, {
    annotation: annotations.invalid,
    decide: (note) => noteFaults(note, all, { isEdited }),
  });
  const ignored = [...unknownAnnotations(resolved.machineClass.metadata.annotations), ...warnings];
  await changeNote(dependencies.control, ref, {
    annotation: annotations.ignoredKeys,
    decide: (note) => noteIgnoredKeys(note, ignored),
  });
}
