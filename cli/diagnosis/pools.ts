/** MachineDeployments, MachineSets and MachineClasses. */
import { annotations, labels } from '../../workflows/api/constants.ts';
import { refusalOf } from '../../workflows/api/creation-failure.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Finding } from './finding.ts';
import type { Install } from '../install/install.ts';
import { millwrightFor } from '../command-line/millwright-line.ts';
import { timeOf } from '../install/times.ts';
import { listOf } from '../terminal/screen.ts';

/** So many are named where there are more. */
const mostNames = 3;

/** Past its deadline, or what it asks for is refused. */
export function deploymentFindings({ metadata, status }: MachineDeployment): Finding[] {
  const { namespace, name } = metadata;
  const conditions = status?.conditions ?? [];
  const blocked =
    conditions.find(({ type, status: is }) => type === 'Progressing' && is === 'False') ??
    conditions.find(({ type, status: is }) => type === 'ReplicaFailure' && is === 'True');
  if (!blocked) return [];
  const kubectl = `kubectl -n ${namespace ?? 'default'}`;
  return [
    {
      trouble: 'rollout-blocked',
      object: { kind: 'machinedeployment', namespace, name },
      cause: `${blocked.reason ?? blocked.type}: ${blocked.message ?? 'no reason given'}`,
      since: timeOf(blocked.lastTransitionTime),
      commands: [
        `${kubectl} describe machinedeployment ${name}`,
        '# back to the template before',
        `${kubectl} patch machinedeployment ${name} --type=merge -p '{"spec": {"rollbackTo": {"revision": 0}}}'`,
      ],
    },
  ];
}

export function setFindings(set: MachineSet): Finding[] {
  return [...churnFindings(set), ...frozenFindings(set)];
}

/** The machines themselves are young each time. */
function churnFindings({ metadata, status }: MachineSet): Finding[] {
  const churn = status?.machineSetCondition?.find(
    ({ reason, status: is }) => reason === 'MachinesNeverJoin' && is === 'True',
  );
  if (!churn) return [];
  const { namespace, name } = metadata;
  const kubectl = `kubectl -n ${namespace ?? 'default'}`;
  return [
    {
      trouble: 'never-joins',
      object: { kind: 'machineset', namespace, name },
      cause: churn.message ?? '',
      since: timeOf(churn.lastTransitionTime),
      commands: [
        `${kubectl} get events --field-selector reason=NeverJoined`,
        '# a machine that is deleted by hand is replaced at once',
        `${kubectl} get machines`,
      ],
    },
  ];
}

function frozenFindings({ metadata, status }: MachineSet): Finding[] {
  const { namespace, name } = metadata;
  const conditions = status?.machineSetCondition ?? [];
  const frozen = conditions.find(({ type, status: is }) => type === 'Frozen' && is === 'True');
  if (!frozen && metadata.labels?.[labels.freeze] !== 'True') return [];
  const { message = 'its label says so', lastTransitionTime } = frozen ?? {};
  const kubectl = `kubectl -n ${namespace ?? 'default'}`;
  return [
    {
      trouble: 'frozen-set',
      object: { kind: 'machineset', namespace, name },
      cause: `it is frozen and creates no machines: ${message}`,
      since: timeOf(lastTransitionTime),
      commands: [
        `${kubectl} get machines`,
        '# when it is known what has made too many; the next check may freeze it again',
        `${kubectl} annotate machineset ${name} ${annotations.unfreeze}=True`,
      ],
    },
  ];
}

export function classFindings(machineClass: MachineClass, install: Install): Finding[] {
  return [...faultFindings(machineClass), ...inUseFindings(machineClass, install)];
}

/** Reasons to refuse its machines, whether there are any or not. */
function faultFindings({ metadata }: MachineClass): Finding[] {
  const { namespace, name } = metadata;
  const invalid = metadata.annotations?.[annotations.invalid];
  if (invalid === undefined || invalid === '') return [];
  return [
    {
      trouble: refusalOf(invalid),
      object: { kind: 'machineclass', namespace, name },
      cause: `no machine can be made of it: ${invalid.replaceAll('\n', '; ')}`,
      commands: [`kubectl -n ${namespace ?? 'default'} edit machineclass ${name}`],
    },
  ];
}

/** A deletion that waits for machines says nothing of its own, and more of them may be made. */
function inUseFindings({ metadata }: MachineClass, install: Install): Finding[] {
  const { namespace, name, deletionTimestamp } = metadata;
  if (deletionTimestamp === undefined) return [];
  const users = install.machines.filter(
    (machine) => machine.metadata.namespace === namespace && machine.spec.class?.name === name,
  );
  if (users.length === 0) return [];
  const names = users.map((machine) => machine.metadata.name);
  return [
    {
      object: { kind: 'machineclass', namespace, name },
      cause: `it is to be deleted, and stays while machines are of it: ${listOf(names, mostNames)}`,
      since: timeOf(deletionTimestamp),
      commands: [millwrightFor('tree', namespace)],
    },
  ];
}
