import { labels } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { FoundObject } from './finding.ts';
import type { Install } from '../install/install.ts';

export function foundMachine({ metadata: { namespace, name } }: Machine): FoundObject {
  return { kind: 'machine', namespace, name };
}

export function setNameOf({ metadata }: Machine): string | undefined {
  return metadata.ownerReferences?.find(({ kind }) => kind === 'MachineSet')?.name;
}

export function setOf(machine: Machine, { sets }: Pick<Install, 'sets'>): MachineSet | undefined {
  const owner = setNameOf(machine);
  const { namespace } = machine.metadata;
  return sets.find(({ metadata }) => metadata.name === owner && metadata.namespace === namespace);
}

export function deploymentOf(
  machine: Machine,
  { sets, deployments }: Pick<Install, 'sets' | 'deployments'>,
): MachineDeployment | undefined {
  const owners = setOf(machine, { sets })?.metadata.ownerReferences;
  const uid = owners?.find(({ kind }) => kind === 'MachineDeployment')?.uid;
  return deployments.find(({ metadata }) => metadata.uid === uid);
}

/** It makes no machines, neither in the place of one that failed. */
export function isFrozen(set: MachineSet | undefined): boolean {
  return set?.metadata.labels?.[labels.freeze] === 'True';
}

/** Says what happens by itself when a time is over. */
export function failureSequelOf(machine: Machine, install: Pick<Install, 'sets'>): string {
  const owner = setNameOf(machine);
  if (owner === undefined) return 'it is Failed, and nothing replaces it';
  return isFrozen(setOf(machine, install))
    ? `it is Failed, and not replaced while machineset/${owner} is frozen`
    : 'it is Failed, and replaced';
}

/** For a machine that is Unknown: its owner has to let it be replaced, which may take longer. */
export function healthSequelOf(machine: Machine, install: Install, until: number): string {
  return until > install.now || setNameOf(machine) === undefined
    ? failureSequelOf(machine, install)
    : 'its time is over: it is Failed when its pool may replace it, and not while most machines are Unknown';
}
