/** What is wrong: objects in, findings out. All commands show these. */
import type { Machine } from '../../workflows/api/machine.ts';
import type { Finding } from './finding.ts';
import { worstFirst } from './finding.ts';
import type { Install } from '../install/install.ts';
import type { Patience } from './install.ts';
import { defaultPatience, installFindings } from './install.ts';
import { creationFindings } from './machine-creation.ts';
import { drainFindings } from './machine-drain.ts';
import { healthFindings } from './machine-health.ts';
import { joinFindings } from './machine-join.ts';
import { untouchedFindings } from './machine-untouched.ts';
import { classFindings, deploymentFindings, setFindings } from './pools.ts';

/** The worst first. Empty: nothing waits for longer than it should. */
export function diagnose(install: Install, patience: Patience = defaultPatience): Finding[] {
  return worstFirst([
    ...installFindings(install, patience),
    ...install.deployments.flatMap(deploymentFindings),
    ...install.sets.flatMap(setFindings),
    ...install.classes.flatMap((one) => classFindings(one, install)),
    ...install.machines.flatMap((machine) => machineFindings(machine, install)),
  ]);
}

export function machineFindings(machine: Machine, install: Install): Finding[] {
  return [
    ...drainFindings(machine, install),
    ...creationFindings(machine, install),
    ...joinFindings(machine, install),
    ...healthFindings(machine, install),
    ...untouchedFindings(machine, install),
  ];
}
