/**
 * A MachineClass that Machines use and a Secret that a class uses carry our finalizer. Where that
 * is not so, and where a deletion begins to wait for it, a workflow is signalled to read; it counts
 * for itself.
 */
import { versionAt } from './context.ts';
import type { ChangeOf, DispatchContext } from './context.ts';
import type { Signal } from './signal.ts';
import type { WatchedChange } from '../cache/store.ts';

export function useSignals(change: WatchedChange, context: DispatchContext): Signal[] {
  const names = touchedBy(change);
  return [
    ...names.classes
      .filter((name) => needsClassFinalizerUpdate(name, context) || beginsToWait(name, change))
      .map(signalTo('machineClass')),
    ...names.secrets
      .filter((name) => needsSecretFinalizerUpdate(name, context) || beginsToWait(name, change))
      .map(signalTo('secret')),
  ];

  function signalTo(kind: 'machineClass' | 'secret'): (object: string) => Signal {
    const { resource, resourceVersion } = change;
    const what = kind === 'secret' ? 'Secret' : 'MachineClass';
    return (object) => ({
      kind,
      object,
      name: 'useChanged',
      payload: versionAt(context, resourceVersion),
      start: { summary: `Finalizer of ${what} ${context.namespace}/${object}` },
      cause: { resource, resourceVersion },
    });
  }
}

interface TouchedNames {
  classes: string[];
  secrets: string[];
}

/** Whose use this change may have begun or ended. */
function touchedBy(change: WatchedChange): TouchedNames {
  switch (change.resource) {
    case 'machines':
      return { classes: classesOf(change), secrets: [] };
    case 'machineClasses':
      return { classes: [change.object.name], secrets: secretsOf(change) };
    case 'secrets':
      return { classes: [], secrets: [change.object.name] };
    case 'machineSets':
    case 'machineDeployments':
    case 'nodes':
    case 'disruptionPolicies':
    case 'configMaps':
      return { classes: [], secrets: [] };
  }
}

/** A machine that stays with its class changes nothing. */
function classesOf({ type, object, previous }: ChangeOf<'machines'>): string[] {
  if (type === 'live' && previous?.className === object.className) return [];
  return distinct(object.className, previous?.className);
}

function secretsOf({ object, previous }: ChangeOf<'machineClasses'>): string[] {
  return distinct(...object.protectedSecrets, ...(previous?.protectedSecrets ?? []));
}

function distinct(...names: (string | undefined)[]): string[] {
  return [...new Set(names)].filter((name) => name !== undefined);
}

function needsClassFinalizerUpdate(name: string, { store }: DispatchContext): boolean {
  const found = store.find('machineClasses', name);
  return found !== undefined && found.hasFinalizer !== hasAny(store.machinesOfClass(name));
}

function needsSecretFinalizerUpdate(name: string, { store }: DispatchContext): boolean {
  const found = store.find('secrets', name);
  return found !== undefined && found.hasFinalizer !== hasAny(store.classesOfSecret(name));
}

/** Is this the deletion of a class or Secret of that name, which our finalizer holds up? */
function beginsToWait(name: string, change: WatchedChange): boolean {
  if (change.resource !== 'machineClasses' && change.resource !== 'secrets') return false;
  const { type, object, previous } = change;
  const isNew = object.isDeleting && previous?.isDeleting !== true;
  return type === 'live' && object.name === name && isNew && object.hasFinalizer;
}

function hasAny(items: Iterable<unknown>): boolean {
  return items[Symbol.iterator]().next().done !== true;
}
