/** Why a MachineDeployment or a MachineSet is as it is, by its objects. */
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { machineFindings } from '../diagnosis/diagnose.ts';
import type { Finding } from '../diagnosis/finding.ts';
import type { Fleet } from '../diagnosis/fleet.ts';
import { deploymentFindings, setFindings } from '../diagnosis/pools.ts';
import { timeOf } from '../diagnosis/times.ts';
import type { Pool } from '../fleet/pools.ts';
import { progressOf } from '../fleet/rollout.ts';
import type { Awaited, Explanation } from './explanation.ts';

export function explainDeployment(
  pool: Pool & { deployment: MachineDeployment },
  fleet: Fleet,
): Explanation {
  const { deployment, sets } = pool;
  const { metadata } = deployment;
  const progress = progressOf(pool, fleet.now);
  const condition = deployment.status?.conditions?.find(({ type }) => type === 'Progressing');
  const machines = sets.flatMap((set) => set.machines);
  return {
    object: { kind: 'machinedeployment', namespace: metadata.namespace, name: metadata.name },
    state: progress.state,
    since: timeOf(condition?.lastTransitionTime),
    decision: condition && {
      text: `${condition.reason ?? ''}: ${condition.message ?? ''}`,
      at: timeOf(condition.lastUpdateTime),
    },
    awaits: progress.state === 'Complete' ? undefined : rolloutAwaits(progress.awaits),
    facts: [
      { name: 'Machines', value: progress.counts },
      { name: 'Class', value: deployment.spec.template.spec?.class?.name ?? 'none' },
      ...sets
        .filter((set) => set.machines.length > 0 || (set.set.spec.replicas ?? 0) > 0)
        .map(({ set, machines: own }) => ({ name: 'Set', value: setInWords(set, own) })),
    ],
    findings: [...deploymentFindings(deployment), ...findingsOf(machines, fleet)],
    commands: [
      `kubectl -n ${metadata.namespace ?? 'default'} describe machinedeployment ${metadata.name}`,
    ],
    events: [],
    notes: [],
  };
}

function rolloutAwaits(what: string | undefined): Awaited | undefined {
  return what === undefined ? undefined : { what };
}

export function explainSet(
  { set, machines }: { set: MachineSet; machines: readonly Machine[] },
  fleet: Fleet,
): Explanation {
  const { metadata, spec, status } = set;
  const wanted = spec.replicas ?? 0;
  const isReached = machines.length === wanted;
  const [condition] = status?.machineSetCondition ?? [];
  return {
    object: { kind: 'machineset', namespace: metadata.namespace, name: metadata.name },
    state: isReached ? 'Complete' : 'Scaling',
    since: timeOf(condition?.lastTransitionTime),
    decision: condition && {
      text: `${condition.reason ?? condition.type}: ${condition.message ?? ''}`,
      at: timeOf(condition.lastTransitionTime),
    },
    awaits: isReached ? undefined : { what: `${wanted} machines; there are ${machines.length}` },
    facts: [{ name: 'Machines', value: setInWords(set, machines) }],
    findings: [...setFindings(set), ...findingsOf(machines, fleet)],
    commands: [
      `kubectl -n ${metadata.namespace ?? 'default'} describe machineset ${metadata.name}`,
    ],
    events: [],
    notes: [],
  };
}

function findingsOf(machines: readonly Machine[], fleet: Fleet): Finding[] {
  return machines.flatMap((machine) => machineFindings(machine, fleet));
}

function setInWords({ metadata, spec, status }: MachineSet, machines: readonly Machine[]): string {
  const revision = metadata.annotations?.[annotations.revision];
  const going = machines.filter((one) => one.metadata.deletionTimestamp !== undefined).length;
  return [
    `${metadata.name}: ${spec.replicas ?? 0} wanted, ${machines.length - going} present, ${status?.availableReplicas ?? 0} available`,
    ...(going > 0 ? [`${going} going away`] : []),
    ...(revision === undefined ? [] : [`revision ${revision}`]),
  ].join(', ');
}
