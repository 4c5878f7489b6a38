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
import type { Fleet } from '../diagnosis/fleet.ts';
import { deploymentFindings, setFindings } from '../diagnosis/pools.ts';
import { timeOf } from '../diagnosis/times.ts';
import type { Pool, SetWithMachines } from '../fleet/pools.ts';
import { progressOf } from '../fleet/rollout.ts';
import type { Explanation } from './explanation.ts';

export function explainDeployment(
  pool: Pool & { deployment: MachineDeployment },
  fleet: Fleet,
): Explanation {
  const { deployment, sets } = pool;
  const { metadata, status } = deployment;
  const progress = progressOf(pool, fleet.now);
  const machines = sets.flatMap((set) => set.machines);
  return {
    ...decisionOf(status?.conditions?.find(({ type }) => type === 'Progressing')),
    object: { kind: 'machinedeployment', namespace: metadata.namespace, name: metadata.name },
    state: progress.state,
    awaits: progress.awaits === undefined ? undefined : { what: progress.awaits },
    facts: [
      { name: 'Machines', value: progress.counts },
      { name: 'Class', value: deployment.spec.template.spec?.class?.name ?? 'none' },
      ...sets.filter(isShown).map((one) => ({ name: 'Set', value: setInWords(one) })),
    ],
    findings: [...deploymentFindings(deployment), ...findingsOf(machines, fleet)],
    commands: [describeCommand('machinedeployment', metadata)],
    events: [],
    notes: [],
  };
}

/** Earlier sets are kept, empty, to roll back to. */
function isShown({ set, machines }: SetWithMachines): boolean {
  return machines.length > 0 || (set.spec.replicas ?? 0) > 0;
}

export function explainSet(one: SetWithMachines, fleet: Fleet): Explanation {
  const { set, machines } = one;
  const { metadata, spec, status } = set;
  const wanted = spec.replicas ?? 0;
  const isReached = machines.length === wanted;
  return {
    ...decisionOf(status?.machineSetCondition?.[0]),
    object: { kind: 'machineset', namespace: metadata.namespace, name: metadata.name },
    state: isReached ? 'Complete' : 'Scaling',
    awaits: isReached ? undefined : { what: `${wanted} machines; there are ${machines.length}` },
    facts: [{ name: 'Machines', value: setInWords(one) }],
    findings: [...setFindings(set), ...findingsOf(machines, fleet)],
    commands: [describeCommand('machineset', metadata)],
    events: [],
    notes: [],
  };
}

type AnyCondition = MachineDeploymentCondition | MachineSetCondition;

function decisionOf(condition: AnyCondition | undefined): Pick<Explanation, 'since' | 'decision'> {
  if (!condition) return {};
  const { type, reason = type, message = '', lastTransitionTime } = condition;
  const at = timeOf(lastTransitionTime);
  return { since: at, decision: { text: `${reason}: ${message}`, at } };
}

function describeCommand(kind: string, { namespace = 'default', name }: ObjectMeta): string {
  return `kubectl -n ${namespace} describe ${kind} ${name}`;
}

function findingsOf(machines: readonly Machine[], fleet: Fleet): Finding[] {
  return machines.flatMap((machine) => machineFindings(machine, fleet));
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
