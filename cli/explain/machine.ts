/** Why a machine is as it is, by its objects. */
import type { Node } from '../../kube/objects/nodes.ts';
import { annotations, labels } from '../../workflows/api/constants.ts';
import { inPlaceUpdate } from '../../workflows/api/in-place.ts';
import { holdReportIn } from '../../workflows/api/deletion-hooks.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { NodeCondition } from '../../workflows/api/meta.ts';
import { machineFindings } from '../diagnosis/diagnose.ts';
import type { Install } from '../install/install.ts';
import { kubectlFor } from '../diagnosis/machine-commands.ts';
import { isWithoutTarget, nodeNameOf } from '../diagnosis/machine-health.ts';
import {
  failureSequelOf,
  foundMachine,
  healthSequelOf,
  isFrozen,
  setNameOf,
  setOf,
} from '../diagnosis/machine-object.ts';
import { isDeletionTaken } from '../diagnosis/machine-untouched.ts';
import { drainDeadlineOf, healthDeadlineOf, joinDeadlineOf, timeOf } from '../install/times.ts';
import type { Awaited, Explanation, Fact } from './explanation.ts';
import { awaitedByUpdate, updateCommands, updateFacts } from './in-place.ts';

/** All but what comes from Events and from Temporal. `node`: undefined where it was not read. */
export function explainMachine(
  machine: Machine,
  { install, node }: { install: Install; node: Node | undefined },
): Explanation {
  const { metadata, status } = machine;
  const findings = machineFindings(machine, install);
  const { description, lastUpdateTime } = status?.lastOperation ?? {};
  return {
    object: foundMachine(machine),
    state: phaseOf(machine),
    since: stateSince(machine),
    decision:
      description === undefined ? undefined : { text: description, at: timeOf(lastUpdateTime) },
    awaits: awaitedOf(machine, install),
    facts: factsOf(machine, { install, node }),
    findings,
    commands: [
      `${kubectlFor(machine)} describe machine ${metadata.name}`,
      ...updateCommands(machine),
    ],
    events: [],
    consoleOutput: metadata.annotations?.[annotations.consoleOutput],
    notes: [],
  };
}

export function phaseOf({ metadata, status }: Machine): string {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  return status?.currentStatus?.phase || 'New';
}

/** The phase is that of before until a worker takes up the deletion. */
function stateSince({ metadata, status }: Machine): number | undefined {
  const { deletionTimestamp, creationTimestamp } = metadata;
  if (deletionTimestamp !== undefined) return timeOf(deletionTimestamp);
  return timeOf(status?.currentStatus?.lastUpdateTime) ?? timeOf(creationTimestamp);
}

/** Says what its phase waits for. */
export function awaitedOf(machine: Machine, install: Install): Awaited | undefined {
  const awaited = awaitedByPhase[phaseOf(machine)];
  return awaited ? awaited(machine, install) : awaitedByUpdate(machine, install);
}

/** A machine in another phase waits for nothing, unless it is updated in place. */
const awaitedByPhase: Readonly<
  Record<string, ((machine: Machine, install: Install) => Awaited) | undefined>
> = {
  New: () => ({ what: 'a worker that takes it up' }),
  CrashLoopBackOff: (machine, install) => ({
    what: 'the next attempt to create its instance',
    since: sincePhase(machine),
    until: joinDeadlineOf(machine, install),
    sequel: failureSequelOf(machine, install),
  }),
  Pending: (machine, install) => ({
    what: `its Node ${nodeNameOf(machine)}, which has to be Ready`,
    since: sincePhase(machine),
    until: joinDeadlineOf(machine, install),
    sequel: failureSequelOf(machine, install),
  }),
  Unknown: (machine, install) => {
    const until = healthDeadlineOf(machine, install);
    return {
      what: `its Node ${nodeNameOf(machine)}, which has to become healthy`,
      since: sincePhase(machine),
      until,
      ...(until !== undefined && { sequel: healthSequelOf(machine, install, until) }),
    };
  },
  Failed: (machine, install) => failedAwaits(machine, install),
  Terminating: (machine, install) => goingAwaits(machine, install),
};

function sincePhase({ status }: Machine): number | undefined {
  return timeOf(status?.currentStatus?.lastUpdateTime);
}

function failedAwaits(machine: Machine, install: Install): Awaited {
  const until = timeOf(machine.status?.currentStatus?.preserveExpiryTime);
  if (until !== undefined) return { what: 'the end of its preservation', until, sequel: 'it goes' };
  const owner = setNameOf(machine);
  if (owner === undefined) {
    return { what: 'a person who deletes it: no MachineSet owns it, so nothing replaces it' };
  }
  return {
    what: isFrozen(setOf(machine, install))
      ? `the end of the freeze of machineset/${owner}, which makes no machines meanwhile`
      : `machineset/${owner}, which deletes it and makes another one`,
  };
}

const nodeDeletion = /Initiate node object deletion$/;
/** Also by force: then attachments of volumes go, so that the instance can. */
const instanceDeletion =
  /deleting the instance|waits for the cloud|VM deletion|Delete Volume Attachments$/i;

/** Without one, or without a cluster for it, there is nothing to drain. */
function hasNode({ metadata, status }: Machine): boolean {
  return metadata.labels?.[labels.node] !== undefined || status?.nodeRef !== undefined;
}

function goingAwaits(machine: Machine, install: Install): Awaited {
  const { description = '' } = machine.status?.lastOperation ?? {};
  const since = timeOf(machine.metadata.deletionTimestamp);
  if (!isDeletionTaken(machine)) return { what: 'a worker that takes up its deletion', since };
  const { held } = holdReportIn(machine.status?.conditions, Date.parse);
  if (held) return { what: `hooks: ${held.message}`, since: held.since };
  if (nodeDeletion.test(description)) return { what: 'its Node, which has to be deleted', since };
  if (!hasNode(machine) || instanceDeletion.test(description)) {
    return { what: 'the cloud, which has to delete its instance', since };
  }
  return {
    what: 'its pods, which have to leave its Node',
    since,
    until: drainDeadlineOf(machine, install),
    sequel: 'what is left of them is deleted by force',
  };
}

function factsOf(
  machine: Machine,
  { install, node }: { install: Install; node: Node | undefined },
): Fact[] {
  const { spec } = machine;
  const className = spec.class?.name ?? 'none';
  const provider = install.classes.find(
    ({ metadata }) =>
      metadata.name === className && metadata.namespace === machine.metadata.namespace,
  )?.provider;
  return [
    ...ownersOf(machine, install),
    { name: 'Class', value: `${className}${provider === undefined ? '' : ` (${provider})`}` },
    { name: 'Instance', value: spec.providerID ?? 'none yet' },
    { name: 'Node', value: nodeValueOf(machine, node) },
    ...updateFacts(machine, node),
  ];
}

function nodeValueOf(machine: Machine, node: Node | undefined): string {
  if (node) return formatNode(node);
  if (isWithoutTarget(machine)) return 'none';
  const hasInstance = machine.spec.providerID !== undefined || hasNode(machine);
  return hasInstance ? `${nodeNameOf(machine)} (not read)` : 'none yet';
}

function ownersOf(machine: Machine, install: Install): Fact[] {
  const owner = setNameOf(machine);
  if (owner === undefined) return [{ name: 'Belongs to', value: 'no MachineSet' }];
  const set = setOf(machine, install);
  const above = set?.metadata.ownerReferences?.find(({ kind }) => kind === 'MachineDeployment');
  const value = `machineset/${owner}${above ? ` of machinedeployment/${above.name}` : ''}`;
  return [{ name: 'Belongs to', value }];
}

/** Its conditions that are not as they should be, whether it is cordoned. */
export function formatNode({ metadata, spec, status }: Node): string {
  const conditions = status?.conditions ?? [];
  const others = conditions
    // Where an update in place is stands in a line of its own.
    .filter(({ type, status: is }) => !['Ready', inPlaceUpdate].includes(type) && is === 'True')
    .map(({ type }) => type);
  const words = [
    readinessOf(conditions.find(({ type }) => type === 'Ready')),
    ...others,
    ...(spec?.unschedulable === true ? ['cordoned'] : []),
    ...(metadata.annotations?.[annotations.notManaged] === undefined ? [] : ['not managed']),
  ];
  return `${metadata.name}: ${words.join(', ')}`;
}

function readinessOf(ready: NodeCondition | undefined): string {
  if (ready?.status === 'True') return 'Ready';
  const why = [ready?.reason, ready?.message].filter(Boolean).join(': ');
  return `not Ready${why === '' ? '' : ` (${why})`}`;
}
