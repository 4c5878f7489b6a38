/** What a rollout says of itself: on its page, in search attributes, traces, Events and the log. */
import { log, patched, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { NamespacedName, ObjectReference, WorkflowInput } from '../contracts/references.ts';
import type { OperationView } from '../contracts/tracing.ts';
import type { DeploymentFacts, SetFacts } from '../plan/machine-deployment/rollout/facts.ts';
import { availableAt, isActive } from '../plan/machine-deployment/rollout/facts.ts';
import type {
  DeploymentPlan,
  DeploymentStep,
  Report,
  RolloutState,
} from '../plan/machine-deployment/rollout/steps.ts';
import { messageIn } from '../plan/requeues.ts';
import { localFirst } from '../runtime/activity-options.ts';
import type { Page } from '../runtime/page.ts';
import { defined } from '../values/defined.ts';
import { formatEnd, overrideInWords, overrideReport } from './policy-override.ts';
import type { MachineDeploymentState } from './state.ts';
import { printedCommand } from '../runtime/printed-command.ts';
import { relatedId } from '../runtime/related-workflow.ts';
import { keys } from '../contracts/search-attributes.ts';
import { dateOf, keyword } from '../runtime/search-attribute-values.ts';

export class RolloutReports {
  readonly #input: WorkflowInput;
  readonly #state: MachineDeploymentState;
  readonly #page: Page;
  /** State that is in the log; a deployment that is complete from the start gets no line. */
  #loggedState: DeploymentPlan['state'] = 'Complete';

  constructor(input: WorkflowInput, state: MachineDeploymentState, page: Page) {
    this.#input = input;
    this.#state = state;
    this.#page = page;
  }

  show(facts: DeploymentFacts, plan: DeploymentPlan): void {
    const { ref, operations } = this.#input;
    const state = this.#state;
    const text = `${plan.state}: ${plan.reason}`;
    if (state.shown?.text !== text) state.shown = { text, since: Date.now() };
    this.#page.show(rolloutDetails(ref, this.#rollout(facts, plan)));
    if (plan.state !== this.#loggedState) {
      this.#loggedState = plan.state;
      // In the log: docs/logs.md.
      log.info(`the rollout is ${plan.state}`, { ...this.#named(), reason: plan.reason });
    }
    operations?.follow(() => operationOf(ref, plan));
    showRollout({ plan, className: facts.className, since: state.shown.since });
  }

  view(facts: DeploymentFacts, plan: DeploymentPlan): RolloutView {
    return rolloutView(this.#rollout(facts, plan));
  }

  noteDone(steps: readonly DeploymentStep[]): void {
    for (const { action, reason } of steps) {
      log.info(reason, { ...this.#named(), action });
      this.#input.operations?.note(`${action}: ${reason}`);
    }
  }

  /** An Event of what a plan reports, when it changes. */
  async follow(report: Report | undefined): Promise<void> {
    const state = this.#state;
    const text = report && `${report.reason}: ${report.message}`;
    if (text === state.reported) return;
    if (text === undefined) delete state.reported;
    else state.reported = text;
    if (report) await this.write(report);
  }

  /** Events at the begin and at the end of an override, once each. */
  async followOverride({ options }: DeploymentFacts): Promise<void> {
    const news = overrideReport(options, this.#state.overridden, Date.now());
    if (!news) return;
    if (news.said === undefined) delete this.#state.overridden;
    else this.#state.overridden = news.said;
    await this.write(news.report);
  }

  async write(report: Report): Promise<void> {
    const input = { deployment: this.deployment, report };
    await localFirst((steps) => steps.reportDeployment(input), report.reason);
  }

  get deployment(): ObjectReference {
    return { ...this.#input.ref, uid: this.#state.uid ?? '' };
  }

  #rollout(facts: DeploymentFacts, plan: DeploymentPlan): RolloutFacts {
    const { shown } = this.#state;
    const since = shown?.since ?? Date.now();
    return defined({ facts, plan, since, lastError: errorsIn(this.#state) });
  }

  #named(): { machineDeployment: string } {
    const { namespace, name } = this.#input.ref;
    return { machineDeployment: `${namespace}/${name}` };
  }
}

/** For traces: docs/tracing.md. */
function operationOf(
  { namespace, name }: NamespacedName,
  { state }: DeploymentPlan,
): OperationView {
  return {
    name: state === 'Complete' ? undefined : 'rollout',
    phase: state,
    isFailed: false,
    attributes: { 'k8s.namespace.name': namespace, 'millwright.machine_deployment': name },
  };
}

/** The page of a MachineDeployment in the Temporal UI, and what the query `rollout` answers. */
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

interface RolloutFacts {
  facts: DeploymentFacts;
  plan: DeploymentPlan;
  /** When the reason became what it is, milliseconds. */
  since: number;
  lastError?: string;
}

function rolloutView({ facts, plan, since, lastError }: RolloutFacts): RolloutView {
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
function rolloutDetails(ref: NamespacedName, rollout: RolloutFacts): string {
  const { facts, plan, since, lastError } = rollout;
  const overridden = overrideInWords(facts.options, Date.now());
  const lines = [
    `### MachineDeployment ${ref.namespace}/${ref.name}: ${plan.state}`,
    `- **Now:** ${plan.reason} (since ${at(since)} UTC)`,
    ...(plan.next === undefined ? [] : [`- **Next:** ${plan.next}`]),
    ...(plan.heldUntil === undefined
      ? []
      : [`- **Goes on by itself:** ${formatEnd(plan.heldUntil)}`]),
    ...(plan.until === undefined ? [] : [`- **Next read:** ${at(plan.until)} UTC at the latest`]),
    ...(plan.blockedBy === undefined ? [] : [`- **Blocked by:** ${plan.blockedBy}`]),
    ...(lastError === undefined ? [] : [`- **Last error:** ${lastError}`]),
    ...(overridden === undefined ? [] : [`- **Policies overridden** until ${overridden}`]),
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

/** A window or an exclusion holds it. */
function isOverridable({ blockedBy, heldUntil }: DeploymentPlan): boolean {
  return heldUntil !== undefined && blockedBy?.startsWith('DisruptionPolicy/') === true;
}

const overrideCommand = { verb: 'overridePolicies', minutes: 60, reason: 'WHY' } as const;

function commands(ref: NamespacedName, { facts, plan }: RolloutFacts): string[] {
  const { namespace, name } = ref;
  const commanded = { kind: 'machineDeployment', ref, source: facts.commandsBy } as const;
  return [
    `kubectl -n ${namespace} describe machinedeployment ${name}`,
    `kubectl -n ${namespace} scale machinedeployment ${name} --replicas=N`,
    ...printedCommand(commanded, { verb: plan.state === 'Paused' ? 'resume' : 'pause' }),
    ...printedCommand(commanded, { verb: 'rollback' }),
    ...(isOverridable(plan) ? printedCommand(commanded, overrideCommand) : []),
  ].map((line) => `    ${line}`);
}

/**
 * How the Temporal UI finds a rollout. Search attributes cost an event, so they change with the
 * state only.
 */
interface Shown {
  plan: DeploymentPlan;
  /** Name of the template's class. */
  className: string;
  /** Milliseconds, when the present state or its reason began. */
  since: number;
}

function showRollout({ plan: { state, ...plan }, since, ...of }: Shown): void {
  const className = keyword(of.className) ?? '';
  const blockedBy = keyword(plan.blockedBy) ?? undefined;
  const deadline = dateOf(plan.heldUntil);
  const attention = attentionOf(state, blockedBy, plan.needsPerson);
  if (isShown({ state, blockedBy, className, deadline, attention })) return;
  upsertSearchAttributes([
    { key: keys.MachineClass, value: className },
    { key: keys.State, value: state },
    { key: keys.BlockedBy, value: blockedBy ?? null },
    { key: keys.Attention, value: attention },
    { key: keys.Deadline, value: deadline },
    { key: keys.WaitingSince, value: waits(state) ? new Date(since) : null },
  ]);
}

interface Values {
  state: RolloutState;
  blockedBy: string | undefined;
  className: string;
  deadline: Date | null;
  attention: 'none' | 'person';
}

function isShown({ state, blockedBy, className, deadline, attention }: Values): boolean {
  const { typedSearchAttributes: shown } = workflowInfo();
  const isSame =
    shown.get(keys.State) === state &&
    shown.get(keys.BlockedBy) === blockedBy &&
    shown.get(keys.Attention) === attention &&
    shown.get(keys.MachineClass) === className;
  const isDeadlineSame = shown.get(keys.Deadline)?.getTime() === deadline?.getTime();
  // Earlier histories have no event for another deadline alone.
  return isSame && (isDeadlineSame || !patched('deadline-of-a-hold'));
}

/** Nothing goes on by itself. */
function waits(state: RolloutState): boolean {
  return state === 'Blocked' || state === 'Paused';
}

function attentionOf(
  state: RolloutState,
  blockedBy: string | undefined,
  needsPerson = false,
): Values['attention'] {
  return state === 'Blocked' || blockedBy === 'canary' || needsPerson ? 'person' : 'none';
}

/** Errors since which nothing went well, for people; undefined when none. */
function errorsIn({ requeues, commandError }: MachineDeploymentState): string | undefined {
  const errors = [messageIn(requeues), commandError];
  return errors.filter((text) => text !== undefined).join('; ') || undefined;
}
