/** Lines to copy, about one machine. */
import type { Machine } from '../../workflows/api/machine.ts';
import { millwrightFor } from './millwright-line.ts';

export function kubectlFor({ metadata }: Pick<Machine, 'metadata'>): string {
  return `kubectl -n ${metadata.namespace ?? 'default'}`;
}

/** Asks a worker to try now what it would try later. Like all of these it acts only with --yes. */
export function retryCommand(machine: Machine): string {
  return actCommand('retry', machine);
}

export function drainCommands(machine: Machine): string[] {
  return [
    '# asks all pods again now, once the cause is repaired',
    actCommand('retry', machine),
    '# gives the pods more time',
    `${actCommand('extend-drain', machine)} --minutes 60`,
    '# deletes the pods without asking their budgets',
    actCommand('force-delete', machine),
  ];
}

function actCommand(verb: string, { metadata: { namespace, name } }: Machine): string {
  return millwrightFor(`${verb} machine/${name}`, namespace);
}

export function editClassCommands(machine: Machine): string[] {
  const className = machine.spec.class?.name ?? '';
  return [
    '# a repaired class is tried at once',
    `${kubectlFor(machine)} edit machineclass ${className}`,
  ];
}

export function moreTimeCommand(machine: Machine): string[] {
  const patch = `-p '{"spec": {"creationTimeout": "40m"}}'`;
  return [
    '# gives it more time to join',
    `${kubectlFor(machine)} patch machine ${machine.metadata.name} --type=merge ${patch}`,
  ];
}

export function replaceCommand(machine: Machine): string[] {
  const owner = machine.metadata.ownerReferences?.find(({ kind }) => kind === 'MachineSet');
  return [
    owner ? '# gives it up; its set makes another one' : '# nothing makes another one in its place',
    `${kubectlFor(machine)} delete machine ${machine.metadata.name} --wait=false`,
  ];
}
