/** The page of a MachineDeployment in the Temporal UI, and what the query `rollout` answers. */
import type { NamespacedName } from '../contracts/references.ts';
import { defined } from '../values/defined.ts';
import type { DeploymentFacts, SetFacts } from '../plan/machine-deployment/rollout/facts.ts';
import { availableAt, isActive } from '../plan/machine-deployment/rollout/facts.ts';
import type { DeploymentPlan } from '../plan/machine-deployment/rollout/steps.ts';
import { printedCommand } from '../runtime/printed-command.ts';
import { relatedId } from '../runtime/related-workflow.ts';

export interface RolloutView {
  state: string;
  /** Reason of the present step. */
  reason: string;
  /** ISO 8601. */
  since: string;
  next?: string;
  blockedBy?: string;
  /** ISO 8601: planned again then. */
  until?: string;
  lastError?: string;
  sets: {
    name: string;
    revision: number;
    isOfTemplate: boolean;
    replicas: number;
    present: number;
    available: number;
    goingAway: number;
  }[];
}

export interface RolloutFacts {
  facts: DeploymentFacts;
  plan: DeploymentPlan;
  /** When the reason became what it is, milliseconds. */
  since: number;
  lastError?: string;
}

export function rolloutView({ facts, plan, since, lastError }: RolloutFacts): RolloutView {
  const { state, reason, next, blockedBy, until } = plan;
  return defined({
    state,
    reason,
    since: new Date(since).toISOString(),
    next,
    blockedBy,
    until: until === undefined ? undefined : new Date(until).toISOString(),
    lastError,
    sets: facts.sets.map((set) => ({
      name: set.name,
      revision: set.revision,
      isOfTemplate: set.isOfTemplate,
      replicas: set.replicas,
      present: set.machines.length,
      available: availableAt(set),
      goingAway: set.going,
    })),
  });
}

/** Markdown. The UI draws tables without borders, so the sets are a list. */
export function rolloutDetails(ref: NamespacedName, rollout: RolloutFacts): string {
  const { facts, plan, since, lastError } = rollout;
  const lines = [
    `### MachineDeployment ${ref.namespace}/${ref.name}: ${plan.state}`,
    `- **Now:** ${plan.reason} (since ${at(since)} UTC)`,
    ...(plan.next === undefined ? [] : [`- **Next:** ${plan.next}`]),
    ...(plan.until === undefined ? [] : [`- **Next read:** ${at(plan.until)} UTC at the latest`]),
    ...(plan.blockedBy === undefined ? [] : [`- **Blocked by:** ${plan.blockedBy}`]),
    ...(lastError === undefined ? [] : [`- **Last error:** ${lastError}`]),
    `- **Wanted:** ${facts.replicas} machines, at most ${facts.maxSurge} more and ${facts.maxUnavailable} fewer meanwhile`,
    ...setLines(ref, facts.sets),
  ];
  return [...lines, '', 'What you can do:', '', ...commands(ref, rollout)].join('\n');
}

/** Hours, minutes and seconds, UTC. */
function at(time: number): string {
  return new Date(time).toISOString().slice(11, 19);
}

function setLines({ namespace }: NamespacedName, sets: readonly SetFacts[]): string[] {
  const shown = sets.filter((set) => set.isOfTemplate || isActive(set));
  const idle = sets.length - shown.length;
  return [
    ...shown.toReversed().flatMap((set) => {
      const id = relatedId('machineSet', { namespace, name: set.name });
      const role = set.isOfTemplate ? 'new' : 'old';
      const going = set.going > 0 ? `, ${set.going} going away` : '';
      return [
        `- **${role}** \`${id}\`, revision ${set.revision}: ${set.replicas} wanted, ${set.machines.length} present, ${availableAt(set)} available${going}`,
        ...failingLine(namespace, set),
      ];
    }),
    ...(idle > 0
      ? [`- ${idle} earlier ${idle === 1 ? 'set' : 'sets'} without machines, kept to roll back to`]
      : []),
  ];
}

/** The machine that its set waits for, and why: one page less to open. */
function failingLine(namespace: string, { failing }: SetFacts): string[] {
  if (!failing) return [];
  const id = relatedId('machine', { namespace, name: failing.name });
  return [`- **Failing** \`${id}\`: ${failing.why}`];
}

function commands(ref: NamespacedName, { facts, plan }: RolloutFacts): string[] {
  const { namespace, name } = ref;
  const commanded = { kind: 'machineDeployment', ref, source: facts.commandsBy } as const;
  return [
    `kubectl -n ${namespace} describe machinedeployment ${name}`,
    `kubectl -n ${namespace} scale machinedeployment ${name} --replicas=N`,
    ...printedCommand(commanded, { verb: plan.state === 'Paused' ? 'resume' : 'pause' }),
    ...printedCommand(commanded, { verb: 'rollback' }),
  ].map((line) => `    ${line}`);
}
