/** Describes what a command will do, from the present state of a Machine and its Node. */
import { annotations as known } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { MachineCommand } from '../../workflows/contracts/commands.ts';
import type { Budget } from '../../workflows/plan/drain/budgets.ts';
import { budgetsOf } from '../../workflows/plan/drain/budgets.ts';
import type { DrainPod } from '../../workflows/plan/drain/removals.ts';
import { podKey } from '../../workflows/plan/drain/removals.ts';
import type { Outlook } from '../command-line/consent.ts';
import { shownIn } from '../terminal/columns.ts';
import { isBeingDrained, waitsFor } from './state.ts';

export interface Sight {
  machine: Machine;
  /** Name of the Node. */
  node: string;
  /** Those that have to leave; `unread`: why they cannot be read. */
  pods: readonly DrainPod[] | { unread: string };
  /** Of their namespaces; empty where they cannot be read. */
  budgets: readonly Budget[];
}

const namedMax = 10;

export function outlookOf(sight: Sight, command: MachineCommand): Outlook {
  const { machine } = sight;
  const { name, annotations = {} } = machine.metadata;
  const waiting = annotations[known.command];
  const text = [
    `machine/${name} now: ${waitsFor(machine)}`,
    `millwright will: ${deedOf(sight, command)}`,
    ...(waiting === undefined
      ? []
      : [`It takes the place of "${shownIn(waiting)}", which no worker has taken yet.`]),
  ].join('\n');
  const data = {
    machine: name,
    command,
    now: waitsFor(machine),
    replaces: waiting ?? null,
    pods: 'unread' in sight.pods ? null : sight.pods.map(podKey),
    budgets: budgetNames(sight),
  };
  return { text, data };
}

function deedOf(sight: Sight, command: MachineCommand): string {
  const { node, machine } = sight;
  switch (command.verb) {
    case 'retryNow':
      return isBeingDrained(machine)
        ? `ask the pods on Node ${node} at once to leave, with their budgets: ${podsIn(sight)}`
        : 'try at once what failed, as if its waiting time were over';
    case 'skipDrain':
      return `delete instance ${machine.spec.providerID ?? '(unknown)'} with what runs on Node ${node}: ${podsIn(sight)}. They are killed without a grace period${withoutBudgets(sight)}${withVolumes(sight)}`;
    case 'forceDelete':
      return `delete the pods on Node ${node} without a grace period${withoutBudgets(sight)}, and then the instance: ${podsIn(sight)}${withVolumes(sight)}`;
    case 'skipVolumeWait':
      return `evict the pods on Node ${node} without waiting until the volumes of the ones before are detached and attached elsewhere: ${podsIn(sight)}`;
    case 'extendDrain':
      return `let the drain of Node ${node} go on for ${command.minutes} minutes more before pods are deleted by force; until then their budgets are asked: ${podsIn(sight)}`;
  }
}

function podsIn({ pods }: Sight): string {
  if ('unread' in pods) return `its pods cannot be read (${pods.unread})`;
  if (pods.length === 0) return 'no pod is left that has to leave';
  return `${pods.length === 1 ? 'pod' : `${pods.length} pods`} ${listOf(pods.map(podKey))}`;
}

function withoutBudgets(sight: Sight): string {
  const names = budgetNames(sight);
  return names.length === 0
    ? ' and without asking a PodDisruptionBudget'
    : `, without waiting for PodDisruptionBudget ${listOf(names)}`;
}

function withVolumes({ pods }: Sight): string {
  const claims = 'unread' in pods ? [] : pods.flatMap(claimsOf);
  return claims.length === 0
    ? ''
    : `. Their volumes are taken off the Node once the instance is gone: ${listOf(claims)}`;
}

function claimsOf({ namespace, claims }: DrainPod): string[] {
  return claims.map((claim) => `${namespace}/${claim}`);
}

function budgetNames({ pods, budgets }: Sight): string[] {
  if ('unread' in pods) return [];
  const found = pods.flatMap((pod) => budgetsOf(pod, budgets));
  return [...new Set(found.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`))];
}

function listOf(names: readonly string[]): string {
  const more = names.length > namedMax ? ` and ${names.length - namedMax} more` : '';
  return `${names.slice(0, namedMax).join(', ')}${more}`;
}
