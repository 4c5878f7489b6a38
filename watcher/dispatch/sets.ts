/** A MachineSet concerns its own workflow and its MachineDeployment; a MachineDeployment only its own. */
import type { Kind } from '../../workflows/contracts/references.ts';
import type { SetSnapshot } from '../../workflows/contracts/messages.ts';
import { sightingAt } from './context.ts';
import type { ChangeOf, Scene } from './context.ts';
import { ownerSignals } from './owners.ts';
import type { Ownership } from './owners.ts';
import { withStrays } from './machines.ts';
import { hasSameSelector } from '../cache/selector-mismatches.ts';
import type { Signal, SignalName, Start } from './signal.ts';
import type { Resource, SetView } from '../cache/views.ts';

type SetChange = ChangeOf<'machineSets' | 'machineDeployments'>;

interface Names {
  kind: Kind;
  resource: Resource;
  observed: SignalName & `${string}Observed`;
  gone: SignalName & `${string}Gone`;
}

const setNames: Names = {
  kind: 'machineSet',
  resource: 'machineSets',
  observed: 'machineSetObserved',
  gone: 'machineSetGone',
};

const deploymentNames: Names = {
  kind: 'machineDeployment',
  resource: 'machineDeployments',
  observed: 'machineDeploymentObserved',
  gone: 'machineDeploymentGone',
};

const ofDeployment: Ownership = {
  resource: 'machineSets',
  owners: 'machineDeployments',
  kind: 'machineDeployment',
  signal: 'machineSetsChanged',
};

export function machineSetSignals(change: SetChange, scene: Scene): Signal[] {
  const { object: set } = change;
  const of = set.owner === undefined ? '' : ` of MachineDeployment ${set.owner}`;
  const start: Start = {
    summary: `MachineSet ${scene.namespace}/${set.name}${of}`,
    machineDeployment: set.owner,
    machineClass: set.className,
  };
  return [
    ...ownSignals(change, { names: setNames, start }, scene),
    ...ownerSignals(change, ofDeployment, scene),
    ...selectorSignals(change, scene),
  ];
}

/** Another selector lets machines go that nothing happened to. */
function selectorSignals(change: SetChange, scene: Scene): Signal[] {
  const { type, object, previous, resourceVersion } = change;
  if (type === 'gone' || previous === undefined || hasSameSelector(previous, object)) return [];
  const look: Signal<'machinesChanged'> = {
    kind: 'machineSet',
    object: object.name,
    name: 'machinesChanged',
    payload: sightingAt(scene, resourceVersion),
    cause: { resource: 'machineSets', resourceVersion },
  };
  return [withStrays(look, scene)];
}

export function machineDeploymentSignals(change: SetChange, scene: Scene): Signal[] {
  const { name, className } = change.object;
  const start: Start = {
    summary: `MachineDeployment ${scene.namespace}/${name}`,
    machineClass: className,
  };
  return ownSignals(change, { names: deploymentNames, start }, scene);
}

interface Target {
  names: Names;
  start: Start;
}

function ownSignals(change: SetChange, { names, start }: Target, scene: Scene): Signal[] {
  const { type, object, previous, resourceVersion } = change;
  const cause = { resource: names.resource, resourceVersion };
  const to = { kind: names.kind, object: object.name, cause };
  const sighting = sightingAt(scene, resourceVersion);
  if (type === 'gone') {
    return [{ ...to, name: names.gone, payload: { ...sighting, uid: object.uid } }];
  }
  if (previous !== undefined && !isToldOf(previous, object)) return [];
  const { uid, generation, isDeleting, hasFinalizer, metadataDigest } = object;
  const snapshot = { uid, generation, isDeleting, hasFinalizer, metadataDigest };
  const payload: SetSnapshot = { ...sighting, ...snapshot };
  return [{ ...to, name: names.observed, payload, start }];
}

/** The finalizer appears only by our own hand, so that is no news. */
function isToldOf(before: SetView, now: SetView): boolean {
  return (
    before.generation !== now.generation ||
    before.isDeleting !== now.isDeleting ||
    before.isOrphaning !== now.isOrphaning ||
    (before.hasFinalizer && !now.hasFinalizer) ||
    before.metadataDigest !== now.metadataDigest
  );
}
