/** A Machine concerns its own workflow, its MachineSet, and tells which Node is its own. */
import type { MachineSnapshot } from '../workflows/messages.ts';
import { nodeSignal } from './dispatch-nodes.ts';
import { sightingAt } from './scene.ts';
import type { ChangeOf, Scene } from './scene.ts';
import { matches } from './selector.ts';
import type { Signal } from './signal.ts';
import type { MachineView } from './views.ts';

export function machineSignals(change: ChangeOf<'machines'>, scene: Scene): Signal[] {
  const own = change.type === 'gone' ? [goneSignal(change, scene)] : liveSignals(change, scene);
  return [...own, ...ownerSignals(change, scene)];
}

function goneSignal({ object, resourceVersion }: ChangeOf<'machines'>, scene: Scene): Signal {
  return {
    kind: 'machine',
    object: object.name,
    name: 'machineGone',
    payload: { ...sightingAt(scene, resourceVersion), uid: object.uid },
    cause: { resource: 'machines', resourceVersion },
  };
}

function liveSignals({ object, previous }: ChangeOf<'machines'>, scene: Scene): Signal[] {
  const isNews = previous === undefined || isToldOf(previous, object);
  const signals: Signal[] = isNews ? [observedSignal(object, scene)] : [];
  const { nodeName } = object;
  if (nodeName === undefined || (!isNews && nodeName === previous?.nodeName)) return signals;
  const node = scene.store.find('nodes', nodeName);
  if (node === undefined) return signals;
  const { resourceVersion } = object;
  const seen = nodeSignal({ machine: object, node, resourceVersion: node.resourceVersion }, scene);
  return seen === undefined
    ? signals
    : [...signals, { ...seen, cause: { resource: 'machines', resourceVersion } }];
}

/** The finalizer appears only by our own hand, so that is no news. */
function isToldOf(before: MachineView, now: MachineView): boolean {
  return (
    before.isDeleting !== now.isDeleting ||
    (before.hasFinalizer && !now.hasFinalizer) ||
    before.specDigest !== now.specDigest ||
    before.forceDeletion !== now.forceDeletion
  );
}

function observedSignal(machine: MachineView, scene: Scene): Signal {
  const { name, uid, isDeleting, hasFinalizer, specDigest, forceDeletion, resourceVersion } =
    machine;
  const payload: MachineSnapshot = {
    ...sightingAt(scene, resourceVersion),
    uid,
    isDeleting,
    hasFinalizer,
    specDigest,
    forceDeletion,
  };
  const of = machine.owner === undefined ? '' : ` of MachineSet ${machine.owner}`;
  return {
    kind: 'machine',
    object: name,
    name: 'machineObserved',
    payload,
    start: {
      summary: `Machine ${scene.namespace}/${name}${of}`,
      machineSet: machine.owner,
      machineClass: machine.className,
    },
    cause: { resource: 'machines', resourceVersion },
  };
}

/** The set that has it, the set that had it, or for an orphan all that could claim it. */
function ownerSignals(change: ChangeOf<'machines'>, scene: Scene): Signal[] {
  const { type, object, previous, resourceVersion } = change;
  if (type === 'live' && previous?.countDigest === object.countDigest) return [];
  const owners = new Set([
    ...ownersOf(object, scene),
    ...(previous ? ownersOf(previous, scene) : []),
  ]);
  return [...owners].map((owner) => ({
    kind: 'machineSet',
    object: owner,
    name: 'machinesChanged',
    payload: sightingAt(scene, resourceVersion),
    cause: { resource: 'machines', resourceVersion },
  }));
}

function ownersOf(machine: MachineView, { store }: Scene): string[] {
  if (machine.owner !== undefined) return [machine.owner];
  if (!machine.isOrphan) return [];
  return [...store.all('machineSets')]
    .filter((set) => matches(set.selector, machine.labels))
    .map((set) => set.name);
}
