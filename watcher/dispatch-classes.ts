/**
 * A MachineClass and its Secrets concern the machines that wait for their repair; what a class promises of its Nodes concerns those
 * that run.
 */
import { sightingAt } from './scene.ts';
import type { ChangeOf, Scene } from './scene.ts';
import type { Signal } from './signal.ts';
import type { MachineView, Resource } from './views.ts';

type IsConcerned = (machine: MachineView) => boolean;

/** Others have what they need of their class, or need it no more. */
const isWaiting: IsConcerned = ({ phase }) => phase !== 'Running' && phase !== 'Terminating';

const hasNode: IsConcerned = ({ phase }) => phase !== 'Terminating';

export function classSignals(change: ChangeOf<'machineClasses'>, scene: Scene): Signal[] {
  const { type, object, previous, resourceVersion } = change;
  if (type === 'gone' || previous?.digest === object.digest) return [];
  // What it promised when nobody watched is not known.
  const before = previous?.virtualCapacityDigest ?? '';
  const isConcerned = before === object.virtualCapacityDigest ? isWaiting : hasNode;
  const cause: Cause = { resource: 'machineClasses', resourceVersion };
  return machinesOf([object.name], { cause, isConcerned }, scene);
}

/** The content is not read: every change counts that is not one of our finalizer. */
export function secretSignals(change: ChangeOf<'secrets'>, scene: Scene): Signal[] {
  const { type, object, previous, resourceVersion } = change;
  if (type === 'gone') return [];
  if (previous !== undefined && previous.finalizersDigest !== object.finalizersDigest) return [];
  const classes = [...scene.store.classesOfSecret(object.name)].map(({ name }) => name);
  const cause: Cause = { resource: 'secrets', resourceVersion };
  return machinesOf(classes, { cause, isConcerned: isWaiting }, scene);
}

interface Cause {
  resource: Resource;
  resourceVersion: string;
}

function machinesOf(
  classes: string[],
  { cause, isConcerned }: { cause: Cause; isConcerned: IsConcerned },
  scene: Scene,
): Signal[] {
  return classes
    .flatMap((name) => [...scene.store.machinesOfClass(name)])
    .filter(isConcerned)
    .map((machine) => ({
      kind: 'machine',
      object: machine.name,
      name: 'classChanged',
      payload: sightingAt(scene, cause.resourceVersion),
      cause,
    }));
}
