/** What is wrong: objects in, findings out. All commands show these. */
import type { Machine } from '../../workflows/api/machine.ts';
import type { Finding } from './finding.ts';
import { worstFirst } from './finding.ts';
import type { Fleet } from '../install/install.ts';
import type { Patience } from './install.ts';
import { defaultPatience, installFindings } from './install.ts';
import { creationFindings } from './machine-creation.ts';
import { drainFindings } from './machine-drain.ts';
import { healthFindings } from './machine-health.ts';
import { joinFindings } from './machine-join.ts';
import { untouchedFindings } from './machine-untouched.ts';
import { classFindings, deploymentFindings, setFindings } from './pools.ts';

/** The worst first. Empty: nothing waits for longer than it should. */
export function diagnose(fleet: Fleet, patience: Patience = defaultPatience): Finding[] {
  return worstFirst([
    ...installFindings(fleet, patience),
    ...fleet.deployments.flatMap(deploymentFindings),
    ...fleet.sets.flatMap(setFindings),
    ...fleet.classes.flatMap((one) => classFindings(one, fleet)),
    ...fleet.machines.flatMap((machine) => machineFindings(machine, fleet)),
  ]);
}

export function machineFindings(machine: Machine, fleet: Fleet): Finding[] {
  return [
    ...drainFindings(machine, fleet),
    ...creationFindings(machine, fleet),
    ...joinFindings(machine, fleet),
    ...healthFindings(machine, fleet),
    ...untouchedFindings(machine, fleet),
  ];
}
