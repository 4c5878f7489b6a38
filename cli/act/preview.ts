/** Describes what a command will do, from the present state of a Machine and its Node. */
import { annotations as known } from '../../workflows/api/constants.ts';
import type { MachineCommand } from '../../workflows/contracts/commands.ts';
import { budgetsOf } from '../../workflows/plan/drain/budgets.ts';
import { podKey } from '../../workflows/plan/drain/removals.ts';
import type { Preview } from '../command-line/consent.ts';
import type { NodePods } from '../objects/node-pods.ts';
import { shownIn } from '../terminal/columns.ts';
import { listOf } from '../terminal/screen.ts';
import { isBeingDrained, waitsFor } from './state.ts';

const mostNames = 10;

export function previewOf(nodePods: NodePods, command: MachineCommand): Preview {
  const { machine } = nodePods;
  const { name, annotations = {} } = machine.metadata;
  const waiting = annotations[known.command];
  const text = [
    `machine/${name} now: ${waitsFor(machine)}`,
    `millwright will: ${deedOf(nodePods, command)}`,
    ...(waiting === undefined
      ? []
      : [`It takes the place of "${shownIn(waiting)}", which no worker has taken yet.`]),
  ].join('\n');
  const data = {
    machine: name,
    command,
    now: waitsFor(machine),
    replaces: waiting ?? null,
    pods: 'unread' in nodePods.pods ? null : nodePods.pods.map(podKey),
    budgets: budgetNames(nodePods),
  };
  return { text, data };
}

function deedOf(nodePods: NodePods, command: MachineCommand): string {
  const { node, machine } = nodePods;
  switch (command.verb) {
    case 'retryNow':
      return isBeingDrained(machine)
        ? `ask the pods on Node ${node} at once to leave, with their budgets: ${podsIn(nodePods)}`
        : 'try at once what failed, as if its waiting time were over';
    case 'skipDrain':
      return `delete instance ${machine.spec.providerID ?? '(unknown)'} with what runs on Node ${node}: ${podsIn(nodePods)}. They are killed without a grace period${withoutBudgets(nodePods)}${withVolumes(nodePods)}`;
    case 'forceDelete':
      return `delete the pods on Node ${node} without a grace period${withoutBudgets(nodePods)}, and then the instance: ${podsIn(nodePods)}${withVolumes(nodePods)}`;
    case 'skipVolumeWait':
      return `evict the pods on Node ${node} without waiting until the volumes of the ones before are detached and attached elsewhere: ${podsIn(nodePods)}`;
    case 'extendDrain':
      return `let the drain of Node ${node} go on for ${command.minutes} minutes more before pods are deleted by force; until then their budgets are asked: ${podsIn(nodePods)}`;
  }
}

function podsIn({ pods }: NodePods): string {
  if ('unread' in pods) return `its pods cannot be read (${pods.unread})`;
  if (pods.length === 0) return 'no pod is left that has to leave';
  return `${pods.length === 1 ? 'pod' : `${pods.length} pods`} ${listOf(pods.map(podKey), mostNames)}`;
}

function withoutBudgets(nodePods: NodePods): string {
  const names = budgetNames(nodePods);
  return names.length === 0
    ? ' and without asking a PodDisruptionBudget'
    : `, without waiting for PodDisruptionBudget ${listOf(names, mostNames)}`;
}

function withVolumes({ pods }: NodePods): string {
  const claims =
    'unread' in pods
      ? []
      : pods.flatMap(({ namespace, claims: names }) => names.map((name) => `${namespace}/${name}`));
  return claims.length === 0
    ? ''
    : `. Their volumes are taken off the Node once the instance is gone: ${listOf(claims, mostNames)}`;
}

function budgetNames({ pods, budgets }: NodePods): string[] {
  if ('unread' in pods) return [];
  const found = pods.flatMap((pod) => budgetsOf(pod, budgets));
  return [...new Set(found.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`))];
}
