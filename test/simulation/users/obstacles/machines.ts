/** Machines that cannot go, or that stay although they failed. */
import { annotations } from '../../../../workflows/api/constants.ts';
import { asksForPreservation, preserveOf } from '../../../../workflows/api/preserve-value.ts';
import { givenUpLabel } from '../actions/edits.ts';
import { letGo, otherFinalizer } from '../actions/finalizers.ts';
import { isHooked, unhook } from '../actions/hooks.ts';
import type { Found } from '../kubectl.ts';
import type { Kind } from '../set-up.ts';
import { isDeleting, isLone, phaseOf } from '../user.ts';
import type { Obstacle, Place } from './obstacle.ts';

export function isHeld({ metadata }: Found): boolean {
  return metadata.finalizers?.includes(otherFinalizer) ?? false;
}

export function isPreserved({ metadata }: Found): boolean {
  return asksForPreservation(preserveOf(metadata.annotations?.[annotations.preserve]));
}

export const notPreserved = { metadata: { annotations: { [annotations.preserve]: null } } };

function held({ all, control }: Place, kind: Kind): Obstacle[] {
  return all(kind)
    .filter(({ object }) => isHeld(object))
    .map(({ path, name }) => ({
      what: `${kind}/${name} has a finalizer of another program`,
      remove: () => letGo(control, { path }),
    }));
}

export function heldMachines(place: Place): Obstacle[] {
  return held(place, 'machines');
}

export function heldOwners(place: Place): Obstacle[] {
  return [...held(place, 'machinesets'), ...held(place, 'machinedeployments')];
}

export function hookedMachines({ all, control }: Place): Obstacle[] {
  return all('machines')
    .filter(({ object }) => isHooked(object))
    .map(({ path, name }) => ({
      what: `Machine ${name} has hooks`,
      remove: () => unhook(control, path),
    }));
}

export function preservedMachines({ all, control }: Place): Obstacle[] {
  return all('machines')
    .filter(({ object }) => isPreserved(object) && !isDeleting(object))
    .map(({ path, name }) => ({
      what: `Machine ${name} is preserved`,
      remove: () => control.patch(path, notPreserved),
    }));
}

/** Its user meant to delete it. */
export function givenUpMachines({ all, control }: Place): Obstacle[] {
  return all('machines')
    .filter(
      ({ object }) => !isDeleting(object) && object.metadata.labels?.[givenUpLabel] === 'True',
    )
    .map(({ path, name }) => ({
      what: `Machine ${name} names the Node of another one`,
      remove: () => control.delete(path),
    }));
}

/** Nothing replaces a Machine without an owner: the person who made it deletes it. */
export function failedMachines({ all, control }: Place): Obstacle[] {
  return all('machines')
    .filter(({ object }) => isLone(object) && !isDeleting(object) && isBeyondRepair(object))
    .map(({ path, name }) => ({
      what: `Machine ${name} has failed, and no set replaces it`,
      remove: () => control.delete(path),
    }));
}

function isBeyondRepair(machine: Found): boolean {
  const phase = phaseOf(machine);
  const isUnhealthyForEver = phase === 'Unknown' && machine.spec?.['disableHealthTimeout'] === true;
  return phase === 'Failed' || isUnhealthyForEver;
}
