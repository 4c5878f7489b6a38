/** A Machine concerns its own workflow and its MachineSet, and names its Node. */
import { digestOfOptions } from '../../workflows/api/drain-options.ts';
import type { MachineSnapshot } from '../../workflows/contracts/snapshots.ts';
import { machineSnapshot } from '../../workflows/contracts/snapshots.ts';
import { pick } from '../../workflows/values/schema.ts';
import { nodeSignal } from './nodes.ts';
import { ownerSignals } from './owners.ts';
import type { Ownership } from './owners.ts';
import { versionAt } from './context.ts';
import type { ChangeOf, DispatchContext } from './context.ts';
import type { Signal } from './signal.ts';
import { traceOfMachine } from './traces.ts';
import type { MachineView } from '../cache/views.ts';

const ofSet: Ownership = {
  resource: 'machines',
  owners: 'machineSets',
  kind: 'machineSet',
  signal: 'machinesChanged',
};

export function machineSignals(change: ChangeOf<'machines'>, context: DispatchContext): Signal[] {
  const own = change.type === 'gone' ? endSignals(change, context) : liveSignals(change, context);
  const toSets = ownerSignals(change, ofSet, context).map((signal) =>
    withUnmatched(signal, context),
  );
  return [...own, ...toSets, ...updateSignals(change, context)];
}

/** Its deployment selects the next machine, and moves this one. A set has no news of that. */
function updateSignals(
  { type, object, previous, resourceVersion }: ChangeOf<'machines'>,
  context: DispatchContext,
): Signal[] {
  const deployment = deploymentOf(object, context);
  if (type === 'gone' || deployment === undefined || previous?.inPlace === object.inPlace)
    return [];
  return [
    {
      kind: 'machineDeployment',
      object: deployment,
      name: 'machineSetsChanged',
      payload: versionAt(context, resourceVersion),
      cause: { resource: 'machines', resourceVersion },
    },
  ];
}

/**
 * Which machines the set must let go stands in every call to read, so that none of them has to
 * arrive.
 */
export function withUnmatched(toSet: Signal, { store }: DispatchContext): Signal {
  const unmatched = store.mismatchesOf(toSet.object);
  return unmatched.length === 0 ? toSet : { ...toSet, payload: { ...toSet.payload, unmatched } };
}

/**
 * A machine that was being deleted with our finalizer is removed by its own workflow, to which that
 * is no news; and a signal that comes while a workflow ends makes it do its last step twice.
 */
function endSignals(change: ChangeOf<'machines'>, context: DispatchContext): Signal[] {
  const { previous } = change;
  return previous?.isDeleting && previous.hasFinalizer ? [] : [goneSignal(change, context)];
}

function goneSignal(
  { object, resourceVersion }: ChangeOf<'machines'>,
  context: DispatchContext,
): Signal {
  return {
    kind: 'machine',
    object: object.name,
    name: 'machineGone',
    payload: { ...versionAt(context, resourceVersion), uid: object.uid },
    cause: { resource: 'machines', resourceVersion },
  };
}

function liveSignals(
  { object, previous }: ChangeOf<'machines'>,
  context: DispatchContext,
): Signal[] {
  const isNews = previous === undefined || hasRelevantChange(previous, object);
  const signals: Signal[] = isNews ? [observedSignal(object, context)] : [];
  const { nodeName } = object;
  if (nodeName === undefined || (!isNews && nodeName === previous?.nodeName)) return signals;
  const node = context.store.find('nodes', nodeName);
  if (node === undefined) return signals;
  const { resourceVersion } = object;
  const seen = nodeSignal(
    { machine: object, node, resourceVersion: node.resourceVersion },
    context,
  );
  return seen === undefined
    ? signals
    : [...signals, { ...seen, cause: { resource: 'machines', resourceVersion } }];
}

function deploymentOf({ owner }: MachineView, { store }: DispatchContext): string | undefined {
  return owner === undefined ? undefined : store.find('machineSets', owner)?.owner;
}

/** The finalizer appears only by our own hand, so that is no news. */
function hasRelevantChange(before: MachineView, now: MachineView): boolean {
  return (
    before.isDeleting !== now.isDeleting ||
    (before.hasFinalizer && !now.hasFinalizer) ||
    before.specDigest !== now.specDigest ||
    before.forceDeletion !== now.forceDeletion ||
    isMoved(before, now) ||
    isNewCommand(before, now) ||
    JSON.stringify(before.preservation) !== JSON.stringify(now.preservation) ||
    // Before, they are of no use; the signal of the deletion carries them.
    (now.isDeleting && digestOfOptions(before.drain) !== digestOfOptions(now.drain)) ||
    (now.isDeleting && JSON.stringify(before.hooks) !== JSON.stringify(now.hooks))
  );
}

/** From one set to another. One that is adopted has never been of another. */
function isMoved(before: MachineView, now: MachineView): boolean {
  return before.owner !== undefined && now.movedTo !== undefined && before.owner !== now.movedTo;
}

/** That one was removed is no news: it was done. */
export function isNewCommand(
  before: Pick<MachineView, 'command'>,
  now: Pick<MachineView, 'command'>,
): boolean {
  return now.command !== undefined && before.command !== now.command;
}

/** As far as the Machine says, no controller has acted on it, and no person asks for anything. */
function isNew({ phase, isDeleting, nodeName, command, preservation, figures }: MachineView) {
  const isKnown = phase !== '' || nodeName !== undefined || figures.providerID !== '';
  return !isKnown && !isDeleting && command === undefined && preservation === undefined;
}

/** Of a class that is there, and has no fault. */
function providerOf({ className }: MachineView, { store }: DispatchContext): string | undefined {
  const found = store.find('machineClasses', className);
  return found?.invalid === '' && !found.isDeleting ? found.provider : undefined;
}

function observedSignal(machine: MachineView, context: DispatchContext): Signal {
  const { name, resourceVersion, drain = {}, hooks, ...seen } = machine;
  // Workers of 0.1.0 leave out a signal that does not say whether deletion is forced.
  const content = { forceDeletion: false, ...seen, ...(machine.isDeleting && { drain, hooks }) };
  const payload = pick<MachineSnapshot>(
    { ...content, ...versionAt(context, resourceVersion) },
    machineSnapshot,
  );
  const of = machine.owner === undefined ? '' : ` of MachineSet ${machine.owner}`;
  const trace = traceOfMachine(machine, context);
  return {
    kind: 'machine',
    object: name,
    name: 'machineObserved',
    payload,
    start: {
      summary: `Machine ${context.namespace}/${name}${of}`,
      machineSet: machine.owner,
      machineDeployment: deploymentOf(machine, context),
      machineClass: machine.className,
      provider: isNew(machine) ? providerOf(machine, context) : undefined,
      machine,
    },
    ...(trace && { trace }),
    cause: { resource: 'machines', resourceVersion },
  };
}
