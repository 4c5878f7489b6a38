/**
 * A MachineClass and its Secrets concern the workflow of the class, which reports what is wrong
 * with them, and the machines that wait for their repair; what a class promises of its Nodes
 * concerns those that run.
 */
import { versionAt } from './context.ts';
import type { ChangeOf, DispatchContext } from './context.ts';
import type { Signal } from './signal.ts';
import type { ClassView, MachineView, Resource, SecretView } from '../cache/views.ts';

type IsConcerned = (machine: MachineView) => boolean;

/** A Running machine has what it needs of its class. A deleted one needs its credentials. */
const isWaiting: IsConcerned = ({ phase }) => phase !== 'Running';

const isAny: IsConcerned = () => true;

export function classSignals(
  change: ChangeOf<'machineClasses'>,
  context: DispatchContext,
): Signal[] {
  const { type, object, previous, resourceVersion } = change;
  const cause: Cause = {
    resource: 'machineClasses',
    resourceVersion,
    isEdited: previous !== undefined,
  };
  if (type === 'gone') {
    // Its successor was listed before its end was heard of: this signal would replace the one that
    // starts the workflow.
    if (context.store.find('machineClasses', object.name) !== undefined) return [];
    // Its workflow may wait for a worker that serves its provider.
    return [changedSignal(object.name, cause, context)];
  }
  if (previous?.digest === object.digest) {
    // A fault that ends without an edit: a driver came up, a cloud takes the credentials again.
    const isMended = previous.invalid !== '' && object.invalid === '';
    return isMended ? machinesOf([object.name], { cause, isConcerned: isWaiting }, context) : [];
  }
  // Capacity that it promised while no watcher ran is not known.
  const before = previous?.virtualCapacityDigest ?? '';
  const isConcerned = before === object.virtualCapacityDigest ? isWaiting : isAny;
  return [
    validateSignal(object.name, cause, context),
    ...machinesOf([object.name], { cause, isConcerned }, context),
    ...deploymentsOf(change, context),
  ];
}

/** Those whose annotations say what the Nodes of the class will be like. */
function deploymentsOf(
  { object, previous, resourceVersion }: ChangeOf<'machineClasses'>,
  context: DispatchContext,
): Signal[] {
  if (previous?.nodeTemplateDigest === object.nodeTemplateDigest) return [];
  return [...context.store.all('machineDeployments')]
    .filter(({ asksFromZero, className }) => asksFromZero && className === object.name)
    .map(({ name }) => ({
      kind: 'machineDeployment',
      object: name,
      name: 'machineSetsChanged',
      payload: versionAt(context, resourceVersion),
      cause: { resource: 'machineClasses', resourceVersion },
    }));
}

/** The content is not read: every change counts that is not one of our finalizer. */
export function secretSignals(change: ChangeOf<'secrets'>, context: DispatchContext): Signal[] {
  const { type, object, previous, resourceVersion } = change;
  const classes = [...context.store.classesOfSecret(object.name)]
    .filter(({ secrets }) => secrets.includes(object.name))
    .map(({ name }) => name);
  const cause: Cause = { resource: 'secrets', resourceVersion, isEdited: previous !== undefined };
  const toClasses = classes.map((name) => validateSignal(name, cause, context));
  if (type === 'gone') return toClasses;
  if (previous !== undefined && isOfFinalizers(previous, object)) return [];
  return [
    ...toClasses,
    ...machinesOf(classes, { cause, isConcerned: isWaiting }, context),
    ...partSignals(mayWaitForSecret, { resource: 'secrets', resourceVersion }, context),
  ];
}

/**
 * Which Secrets a config names stands in its ConfigMap, which is not read here: to a class that is
 * at fault each may be one of them.
 */
const mayWaitForSecret = ({ configMaps, invalid }: ClassView): boolean =>
  configMaps.length > 0 && invalid !== '';

/** The content is not read: every change counts. */
export function configMapSignals(
  { object, type, resourceVersion }: ChangeOf<'configMaps'>,
  context: DispatchContext,
): Signal[] {
  const isOf = ({ configMaps }: ClassView): boolean => configMaps.includes(object.name);
  const signals = partSignals(isOf, { resource: 'configMaps', resourceVersion }, context);
  return type === 'gone' ? signals.filter(({ kind }) => kind === 'machineClass') : signals;
}

/** What user data are made of has changed. That says nothing of credentials: it is no edit. */
function partSignals(
  isOf: (machineClass: ClassView) => boolean,
  change: Pick<Cause, 'resource' | 'resourceVersion'>,
  context: DispatchContext,
): Signal[] {
  const cause = { ...change, isEdited: false };
  const classes = [...context.store.all('machineClasses')].filter(isOf).map(({ name }) => name);
  return [
    ...classes.map((name) => validateSignal(name, cause, context)),
    ...machinesOf(classes, { cause, isConcerned: isWaiting }, context),
  ];
}

/**
 * Our own hand takes our finalizer off a Secret that no class uses. From another one it goes with
 * a replacement of the whole Secret, such as `kubectl replace`, which brings new content.
 */
function isOfFinalizers(before: SecretView, now: SecretView): boolean {
  const isReplaced = before.hasFinalizer && !now.hasFinalizer;
  return before.finalizersDigest !== now.finalizersDigest && !isReplaced;
}

interface Cause {
  resource: Resource;
  resourceVersion: string;
  /** It was known before. */
  isEdited: boolean;
}

/** The class is read, and what is wrong with it said. */
function validateSignal(name: string, cause: Cause, context: DispatchContext): Signal {
  const start = { summary: `Faults of MachineClass ${context.namespace}/${name}` };
  return { ...changedSignal(name, cause, context), start };
}

/** For a workflow that runs. */
function changedSignal(name: string, cause: Cause, context: DispatchContext): Signal {
  const { resource, resourceVersion, isEdited } = cause;
  return {
    kind: 'machineClass',
    object: name,
    name: 'classChanged',
    payload: { ...versionAt(context, resourceVersion), ...(isEdited && { isEdited }) },
    cause: { resource, resourceVersion },
  };
}

function machinesOf(
  classes: string[],
  { cause, isConcerned }: { cause: Cause; isConcerned: IsConcerned },
  context: DispatchContext,
): Signal[] {
  const { resource, resourceVersion } = cause;
  return classes
    .flatMap((name) => [...context.store.machinesOfClass(name)])
    .filter(isConcerned)
    .map((machine) => ({
      kind: 'machine',
      object: machine.name,
      name: 'classChanged',
      payload: versionAt(context, resourceVersion),
      cause: { resource, resourceVersion },
    }));
}
