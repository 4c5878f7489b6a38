/** A machine whose instance cannot be made. */
import type { Machine } from '../../workflows/api/machine.ts';
import { nameInLine } from '../../workflows/values/name-in-line.ts';
import { cloudFailureOf } from './cloud-failure.ts';
import type { Finding } from './finding.ts';
import type { Install } from '../install/install.ts';
import { editClassCommands, kubectlFor, retryCommand } from './machine-commands.ts';
import { failureSequelOf, foundMachine } from './machine-object.ts';
import { joinDeadlineOf, timeOf } from '../install/times.ts';
import type { Trouble } from './trouble.ts';

export function creationFindings(machine: Machine, install: Install): Finding[] {
  if (!isRefused(machine)) return [];
  const { trouble, cause } = cloudFailureOf(machine);
  return [
    {
      trouble,
      object: foundMachine(machine),
      cause,
      since: timeOf(machine.status?.lastOperation?.lastUpdateTime),
      ...(machine.status?.currentStatus?.phase !== 'Failed' && {
        until: joinDeadlineOf(machine, install),
        sequel: failureSequelOf(machine, install),
      }),
      commands: commandsFor(machine, trouble),
    },
  ];
}

function isRefused({ metadata, status }: Machine): boolean {
  const { type, state, errorCode } = status?.lastOperation ?? {};
  const isCreation = type === 'Create' && state === 'Failed' && errorCode !== undefined;
  return metadata.deletionTimestamp === undefined && isCreation;
}

const commandsByTrouble: Partial<Record<Trouble, (machine: Machine) => string[]>> = {
  'bad-spec': editClassCommands,
  'missing-secret': editClassCommands,
  credentials: secretCommands,
  'worker-down': () => ['kubectl get deployments -A -l app.kubernetes.io/name=millwright'],
};

function commandsFor(machine: Machine, trouble: Trouble | undefined): string[] {
  const known = trouble && commandsByTrouble[trouble];
  if (known) return known(machine);
  return ['# tries it now, not after the back-off', retryCommand(machine)];
}

function secretCommands(machine: Machine): string[] {
  const className = nameInLine(machine.spec.class?.name ?? '');
  const paths = '{.secretRef.name}{" "}{.credentialsSecretRef.name}';
  return [
    '# the Secret with the credentials; a repaired one is tried at once',
    `${kubectlFor(machine)} get machineclass ${className} -o jsonpath='${paths}'`,
  ];
}
