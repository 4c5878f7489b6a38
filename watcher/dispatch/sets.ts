/**
 * A MachineSet concerns its own workflow and its MachineDeployment; a MachineDeployment only its
 * own.
 */
import type { Kind } from '../../workflows/contracts/references.ts';
import type { SignalName } from '../../workflows/contracts/messages.ts';
import type { SetSnapshot } from '../../workflows/contracts/snapshots.ts';
import { setSnapshot } from '../../workflows/contracts/snapshots.ts';
import { pick } from '../../workflows/values/schema.ts';
import { versionAt } from './context.ts';
import type { ChangeOf, DispatchContext } from './context.ts';
import { ownerSignals } from './owners.ts';
import type { Ownership } from './owners.ts';
import { isNewCommand, withUnmatched } from './machines.ts';
import { hasSameSelector } from '../cache/selector-mismatches.ts';
import type { Signal, Start } from './signal.ts';
import { traceOfDeployment } from './traces.ts';
import type { Resource, SetView } from '../cache/views.ts';

type SetChange = ChangeOf<'machineSets' | 'machineDeployments'>;

interface SetNames {
  kind: Kind;
  resource: Resource;
  observed: SignalName & `${string}Observed`;
  gone: SignalName & `${string}Gone`;
}

const setNames: SetNames = {
  kind: 'machineSet',
  resource: 'machineSets',
  observed: 'machineSetObserved',
  gone: 'machineSetGone',
};

const deploymentNames: SetNames = {
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

export function machineSetSignals(change: SetChange, context: DispatchContext): Signal[] {
  const { object: set } = change;
  const of = set.owner === undefined ? '' : ` of MachineDeployment ${set.owner}`;
  const start: Start = {
    summary: `MachineSet ${context.namespace}/${set.name}${of}`,
    machineDeployment: set.owner,
    machineClass: set.className,
  };
  return [
    ...ownSignals(change, { names: setNames, start }, context),
    ...ownerSignals(change, ofDeployment, context),
    ...selectorSignals(change, context),
  ];
}

/** Another selector lets machines go that nothing happened to. */
function selectorSignals(change: SetChange, context: DispatchContext): Signal[] {
  const { type, object, previous, resourceVersion } = change;
  if (type === 'gone' || previous === undefined || hasSameSelector(previous, object)) return [];
  const changed: Signal<'machinesChanged'> = {
    kind: 'machineSet',
    object: object.name,
    name: 'machinesChanged',
    payload: versionAt(context, resourceVersion),
    cause: { resource: 'machineSets', resourceVersion },
  };
  return [withUnmatched(changed, context)];
}

export function machineDeploymentSignals(change: SetChange, context: DispatchContext): Signal[] {
  const { name, className } = change.object;
  const start: Start = {
    summary: `MachineDeployment ${context.namespace}/${name}`,
    machineClass: className,
  };
  return ownSignals(change, { names: deploymentNames, start }, context);
}

interface SetSignalOptions {
  names: SetNames;
  start: Start;
}

function ownSignals(
  change: SetChange,
  { names, start }: SetSignalOptions,
  context: DispatchContext,
): Signal[] {
  const { type, object, previous, resourceVersion } = change;
  const cause = { resource: names.resource, resourceVersion };
  const to = { kind: names.kind, object: object.name, cause };
  const version = versionAt(context, resourceVersion);
  if (type === 'gone') {
    return [{ ...to, name: names.gone, payload: { ...version, uid: object.uid } }];
  }
  if (previous !== undefined && !hasRelevantChange(previous, object)) return [];
  const payload = pick<SetSnapshot>({ ...object, ...version }, setSnapshot);
  const trace = names.kind === 'machineDeployment' ? traceOfDeployment(object) : undefined;
  return [{ ...to, name: names.observed, payload, start, ...(trace && { trace }) }];
}

/**
 * The finalizer appears only by our own hand, so that is no news. A set without its deployment may
 * replace machines that the deployment had held back.
 */
function hasRelevantChange(before: SetView, now: SetView): boolean {
  return (
    before.generation !== now.generation ||
    before.isDeleting !== now.isDeleting ||
    before.isOrphaning !== now.isOrphaning ||
    (before.hasFinalizer && !now.hasFinalizer) ||
    before.metadataDigest !== now.metadataDigest ||
    before.owner !== now.owner ||
    isNewCommand(before, now)
  );
}
