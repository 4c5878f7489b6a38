/** Why a MachineDeployment or a MachineSet is as it is, by its objects. */
import { annotations } from '../../workflows/api/constants.ts';
import type {
  MachineDeployment,
  MachineDeploymentCondition,
} from '../../workflows/api/machine-deployment.ts';
import type { MachineSetCondition } from '../../workflows/api/machine-set.ts';
import type { ObjectMeta } from '../../workflows/api/meta.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { machineFindings } from '../diagnosis/diagnose.ts';
import type { Finding } from '../diagnosis/finding.ts';
import type { Install } from '../install/install.ts';
import { policyFindingsFor } from '../diagnosis/policies.ts';
import { deploymentFindings, setFindings } from '../diagnosis/pools.ts';
import { isoOf, timeOf } from '../install/times.ts';
import { isRecord } from '../../workflows/values/is-record.ts';
import { ageSince } from '../terminal/age.ts';
import type { Pool, SetWithMachines } from '../install/pools.ts';
import type { PolicyStatus } from '../install/policies.ts';
import { holdingAmong, policiesFor, policyInWords } from '../install/policies.ts';
import { isAvailable, isGoing, progressOf } from '../install/rollout.ts';
import {
  hasUpdateFailed,
  isManual,
  isUpdatingInPlace,
  updateStateOf,
} from '../install/in-place.ts';
import { awaitedByUpdate } from './in-place.ts';
import type { Awaited, Explanation, Fact } from './explanation.ts';

export function explainDeployment(
  pool: Pool & { deployment: MachineDeployment },
  install: Install,
): Explanation {
  const { deployment, sets } = pool;
  const { metadata, status } = deployment;
  const progress = progressOf(pool, install.now);
  const policies = policiesFor(deployment, install);
  const machines = sets.flatMap((set) => set.machines);
  return {
    ...decisionOf(status?.conditions?.find(({ type }) => type === 'Progressing')),
    object: { kind: 'machinedeployment', namespace: metadata.namespace, name: metadata.name },
    state: progress.state,
    awaits: progress.awaits === undefined ? undefined : awaitedOfRollout(progress.awaits, policies),
    facts: [
      { name: 'Machines', value: progress.counts },
      { name: 'Class', value: deployment.spec.template.spec?.class?.name ?? 'none' },
      ...pausedFacts(deployment, install.now),
      ...updatesOf({ deployment, machines }, install),
      ...policies.map((policy) => ({ name: 'Policy', value: policyInWords(policy, install.now) })),
      // Earlier sets are kept, empty, to roll back to.
      ...sets
        .filter((one) => one.machines.length > 0 || (one.set.spec.replicas ?? 0) > 0)
        .map((one) => ({ name: 'Set', value: setInWords(one) })),
    ],
    findings: [
      ...deploymentFindings(deployment),
      ...policyFindingsFor(deployment, install),
      ...findingsOf(machines, install),
    ],
    commands: [describeCommand('machinedeployment', metadata)],
    events: [],
    notes: [],
  };
}

export function explainSet(one: SetWithMachines, install: Install): Explanation {
  const { set, machines } = one;
  const { metadata, spec, status } = set;
  const awaits = awaitedOf(spec.replicas ?? 0, machines);
  return {
    ...decisionOf(status?.machineSetCondition?.[0]),
    object: { kind: 'machineset', namespace: metadata.namespace, name: metadata.name },
    state: awaits === undefined ? 'Complete' : 'Scaling',
    awaits: awaits === undefined ? undefined : { what: awaits },
    facts: [{ name: 'Machines', value: setInWords(one) }],
    findings: [...setFindings(set), ...findingsOf(machines, install)],
    commands: [describeCommand('machineset', metadata)],
    events: [],
    notes: [],
  };
}

/** So many are named where there are more. */
const mostUpdates = 10;

/** Of an update in place: each machine at work, and how many may be next. */
function updatesOf(
  { deployment, machines }: { deployment: MachineDeployment; machines: readonly Machine[] },
  install: Install,
): Fact[] {
  const under = machines.filter((one) => isUpdatingInPlace(one) || hasUpdateFailed(one));
  const candidates = machines.filter((one) => updateStateOf(one) === 'candidate').length;
  const by = isManual(deployment) ? 'a person selects the next' : 'selected by turns';
  const values = [
    ...under.slice(0, mostUpdates).map((one) => updateInWords(one, install)),
    ...(under.length > mostUpdates ? [`and ${under.length - mostUpdates} more`] : []),
    ...(candidates > 0 ? [`${candidates} that may be selected: ${by}`] : []),
  ];
  return values.map((value) => ({ name: 'Update', value }));
}

function updateInWords(machine: Machine, install: Install): string {
  const { what = '', since, until } = awaitedByUpdate(machine, install) ?? {};
  return [
    `${machine.metadata.name}: waits for ${what}`,
    ...(since === undefined ? [] : [`since ${isoOf(since)}`]),
    ...(until === undefined ? [] : [`until ${isoOf(until)}`]),
  ].join(', ');
}

/** All policies must let it go on, so the last one counts, where each opens by itself. */
function awaitedOfRollout(what: string, policies: readonly PolicyStatus[]): Awaited {
  const closed = holdingAmong(policies, what).filter(({ isOpen }) => isOpen === false);
  const times = closed.map(({ until = Infinity }) => until);
  const until = Math.max(...times);
  if (!Number.isFinite(until)) return { what };
  return { what, until, sequel: 'the rollout goes on' };
}

/** Leaves out those that go away. */
function awaitedOf(wanted: number, machines: readonly Machine[]): string | undefined {
  const present = machines.filter((one) => !isGoing(one)).length;
  const available = machines.filter(isAvailable).length;
  const named = `${wanted} ${wanted === 1 ? 'machine' : 'machines'}`;
  if (present > wanted) return `${named}; there are ${present}`;
  if (available === wanted) return undefined;
  return `${named} that ${wanted === 1 ? 'is' : 'are'} available; there are ${available}`;
}

type AnyCondition = MachineDeploymentCondition | MachineSetCondition;

function decisionOf(condition: AnyCondition | undefined): Pick<Explanation, 'since' | 'decision'> {
  if (!condition) return {};
  const { type, reason = type, message = '', lastTransitionTime } = condition;
  // The status of `Progressing` stays through rollouts; each reason is written anew.
  const written = 'lastUpdateTime' in condition ? condition.lastUpdateTime : undefined;
  const at = timeOf(written ?? lastTransitionTime);
  return { since: at, decision: { text: `${reason}: ${message}`, at } };
}

function describeCommand(kind: string, { namespace = 'default', name }: ObjectMeta): string {
  return `kubectl -n ${namespace} describe ${kind} ${name}`;
}

function findingsOf(machines: readonly Machine[], install: Install): Finding[] {
  return machines.flatMap((machine) => machineFindings(machine, install));
}

function setInWords({ set: { metadata, spec, status }, machines }: SetWithMachines): string {
  const revision = metadata.annotations?.[annotations.revision];
  const going = machines.filter((one) => one.metadata.deletionTimestamp !== undefined).length;
  return [
    `${metadata.name}: ${spec.replicas ?? 0} wanted, ${machines.length - going} present, ${status?.availableReplicas ?? 0} available`,
    ...(going > 0 ? [`${going} going away`] : []),
    ...(revision === undefined ? [] : [`revision ${revision}`]),
  ].join(', ');
}

/** By which program a MachineDeployment was paused, and when, as far as Kubernetes knows. */
function pausedFacts({ metadata, spec }: MachineDeployment, now: number): Fact[] {
  if (spec.paused !== true) return [];
  const entries: unknown = 'managedFields' in metadata ? metadata.managedFields : [];
  const entry = (Array.isArray(entries) ? entries : []).filter(isRecord).find(({ fieldsV1 }) => {
    const ofSpec = isRecord(fieldsV1) ? fieldsV1['f:spec'] : undefined;
    return isRecord(ofSpec) && 'f:paused' in ofSpec;
  });
  if (!entry) return [];
  const since = timeOf(String(entry['time']));
  return [{ name: 'Paused by', value: `${String(entry['manager'])}, ${ageSince(since, now)} ago` }];
}
