/** What an object is made of. */
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { machineFindings } from '../diagnosis/diagnose.ts';
import type { Finding } from '../diagnosis/finding.ts';
import type { Install } from '../install/install.ts';
import { nodeNameOf } from '../diagnosis/machine-health.ts';
import { deploymentFindings, setFindings } from '../diagnosis/pools.ts';
import { timeOf } from '../install/times.ts';
import { awaitedOf, phaseOf } from '../explain/machine.ts';
import type { Pool, SetWithMachines } from '../install/pools.ts';
import { revisionOf } from '../install/pools.ts';
import { isGoing, progressOf } from '../install/rollout.ts';

export interface Branch {
  kind: 'machinedeployment' | 'machineset' | 'machine' | 'node' | 'instance';
  name: string;
  state?: string | undefined;
  /** When it was made, milliseconds. */
  since?: number | undefined;
  waits?: string | undefined;
  findings: readonly Finding[];
  branches: readonly Branch[];
}

export function branchOfDeployment(
  pool: Pool & { deployment: MachineDeployment },
  install: Install,
): Branch {
  const { metadata } = pool.deployment;
  const progress = progressOf(pool, install.now);
  return {
    kind: 'machinedeployment',
    name: metadata.name,
    state: `${progress.state}, ${progress.counts}`,
    since: timeOf(metadata.creationTimestamp),
    waits: progress.awaits,
    findings: deploymentFindings(pool.deployment),
    // Earlier sets are kept to roll back to: those that are empty say nothing here.
    branches: pool.sets
      .filter((one, index) => index === 0 || one.machines.length > 0)
      .map((one) => branchOfSet(one, install)),
  };
}

export function branchOfSet({ set, machines }: SetWithMachines, install: Install): Branch {
  const { metadata, spec } = set;
  const present = machines.filter((one) => !isGoing(one)).length;
  const revision = revisionOf(set);
  return {
    kind: 'machineset',
    name: metadata.name,
    state: `${present}/${spec.replicas ?? 0}${revision > 0 ? `, revision ${revision}` : ''}`,
    since: timeOf(metadata.creationTimestamp),
    findings: setFindings(set),
    branches: machines.map((machine) => branchOfMachine(machine, install)),
  };
}

export function branchOfMachine(machine: Machine, install: Install): Branch {
  const { metadata } = machine;
  return {
    kind: 'machine',
    name: metadata.name,
    state: phaseOf(machine),
    since: timeOf(metadata.creationTimestamp),
    waits: awaitedOf(machine, install)?.what,
    findings: machineFindings(machine, install),
    branches: [...nodeOf(machine), ...instanceOf(machine)],
  };
}

/** By what the Machine says of it. */
function nodeOf(machine: Machine): Branch[] {
  const { status } = machine;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (!ready && status?.nodeRef === undefined) return [];
  const state = ready?.status === 'True' ? 'Ready' : 'not Ready';
  return [{ kind: 'node', name: nodeNameOf(machine), state, findings: [], branches: [] }];
}

function instanceOf({ spec }: Machine): Branch[] {
  if (spec.providerID === undefined) return [];
  return [{ kind: 'instance', name: spec.providerID, findings: [], branches: [] }];
}
