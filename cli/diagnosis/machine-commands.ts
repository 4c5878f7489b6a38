/** Lines to copy, about one machine. */
import { labels } from '../../workflows/api/constants.ts';
import { creationTimeoutSecondsOf } from '../../workflows/api/creation-timeout.ts';
import { hooksIn } from '../../workflows/api/deletion-hooks.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { nameInLine } from '../../workflows/values/name-in-line.ts';
import type { Install } from '../install/install.ts';
import { millwrightFor } from '../command-line/millwright-line.ts';
import { setNameOf, setOf } from './machine-object.ts';

export function kubectlFor({ metadata }: Pick<Machine, 'metadata'>): string {
  return `kubectl -n ${metadata.namespace ?? 'default'}`;
}

/** In the order in which they hold: the drain comes first. */
export function hookCommands(machine: Machine): string[] {
  const { name, annotations } = machine.metadata;
  const { drain = [], instance = [] } = hooksIn(annotations) ?? {};
  const hooks = [...drain, ...instance];
  if (hooks.length === 0) return [];
  const keys = hooks.map(({ annotation }) => `'${annotation}-'`);
  return [
    '# passes the hooks, whatever their owners have still to do; take those that may go',
    `${kubectlFor(machine)} annotate machine ${name} ${keys.join(' ')}`,
  ];
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

/** The drain of a Node that stays takes no options. */
export function updateDrainCommands(machine: Machine, node: string): string[] {
  return [
    '# asks all pods again now, once the cause is repaired',
    actCommand('retry', machine),
    '# deletes the pods without asking their budgets',
    `${kubectlFor(machine)} label machine ${machine.metadata.name} ${labels.forceDrain}=True`,
    '# in the cluster of the Nodes: takes the selection back, and uncordons the Node',
    `kubectl label node ${node} ${labels.selectedForUpdate}-`,
  ];
}

export function skipVolumeCommands(machine: Machine): string[] {
  return ['# goes on without waiting for the volume', actCommand('skip-volume-wait', machine)];
}

/** Each takes the machine out of the failure in another way. */
export function failedUpdateCommands(machine: Machine, node: string): string[] {
  return [
    '# in the cluster of the Nodes',
    `kubectl describe node ${node}`,
    '# has the agent on the Node begin anew, once the cause is repaired',
    actCommand('retry-update', machine),
    '# gives it up: its instance is deleted with its disks, and its pool makes another one',
    actCommand('give-up-update', machine),
  ];
}

export function selectCommand(machine: Machine): string {
  return actCommand('select-for-update', machine);
}

function actCommand(verb: string, { metadata: { namespace, name } }: Machine): string {
  return millwrightFor(`${verb} machine/${name}`, namespace);
}

export function editClassCommands(machine: Machine): string[] {
  const className = nameInLine(machine.spec.class?.name ?? '');
  const { description = '' } = machine.status?.lastOperation ?? {};
  if (/MachineClass "[^"]*" does not exist/.test(description)) {
    return [
      '# a class of this name is tried at once',
      `${kubectlFor(machine)} apply -f CLASS.yaml`,
    ];
  }
  return [
    '# a repaired class is tried at once',
    `${kubectlFor(machine)} edit machineclass ${className}`,
  ];
}

/** On one machine of a pool it would be taken back: the template of the pool is pushed down. */
export function moreTimeCommand(
  machine: Machine,
  { sets, timeouts }: Pick<Install, 'sets' | 'timeouts'>,
): string[] {
  const set = setNameOf(machine);
  const owners = setOf(machine, { sets })?.metadata.ownerReferences;
  const pool = owners?.find(({ kind }) => kind === 'MachineDeployment')?.name;
  // A time that is less than it has would fail it at once.
  const seconds = 2 * (creationTimeoutSecondsOf(machine) ?? timeouts.creation);
  const spec = { creationTimeout: `${Math.ceil(seconds / 60)}m` };
  const [object, patch] =
    set === undefined
      ? [`machine ${machine.metadata.name}`, { spec }]
      : [
          pool === undefined
            ? `machineset ${nameInLine(set)}`
            : `machinedeployment ${nameInLine(pool)}`,
          { spec: { template: { spec } } },
        ];
  return [
    '# gives it more time to join',
    `${kubectlFor(machine)} patch ${object} --type=merge -p '${JSON.stringify(patch)}'`,
  ];
}

export function replaceCommand(machine: Machine): string[] {
  return [
    setNameOf(machine) !== undefined
      ? '# gives it up; its set makes another one'
      : '# nothing makes another one in its place',
    `${kubectlFor(machine)} delete machine ${machine.metadata.name} --wait=false`,
  ];
}
