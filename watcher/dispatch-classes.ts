/** A MachineClass and its Secrets concern the machines that wait for their repair. */
import { sightingAt } from './scene.ts';
import type { ChangeOf, Scene } from './scene.ts';
import type { Signal } from './signal.ts';
import type { Resource } from './views.ts';

/** These have what they need of their class, or need it no more. */
const settledPhases = new Set(['Running', 'Terminating']);

export function classSignals(change: ChangeOf<'machineClasses'>, scene: Scene): Signal[] {
  const { type, object, previous, resourceVersion } = change;
  if (type === 'gone' || previous?.digest === object.digest) return [];
  return waitingMachines([object.name], { resource: 'machineClasses', resourceVersion }, scene);
}

/** The content is not read: every change counts that is not one of our finalizer. */
export function secretSignals(change: ChangeOf<'secrets'>, scene: Scene): Signal[] {
  const { type, object, previous, resourceVersion } = change;
  if (type === 'gone') return [];
  if (previous !== undefined && previous.finalizersDigest !== object.finalizersDigest) return [];
  const classes = [...scene.store.classesOfSecret(object.name)].map(({ name }) => name);
  return waitingMachines(classes, { resource: 'secrets', resourceVersion }, scene);
}

interface Cause {
  resource: Resource;
  resourceVersion: string;
}

function waitingMachines(classes: string[], cause: Cause, scene: Scene): Signal[] {
  return classes
    .flatMap((name) => [...scene.store.machinesOfClass(name)])
    .filter(({ phase }) => !settledPhases.has(phase))
    .map((machine) => ({
      kind: 'machine',
      object: machine.name,
      name: 'classChanged',
      payload: sightingAt(scene, cause.resourceVersion),
      cause,
    }));
}
