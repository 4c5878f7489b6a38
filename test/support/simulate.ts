/**
 * Whole rollouts in memory: look, plan, apply, and let sets and machines do their part, until
 * nothing changes.
 */
import { planMachineDeployment } from '../../workflows/plan/machine-deployment/plan.ts';
import { afterSteps } from '../../workflows/plan/machine-deployment/rollout/after-steps.ts';
import type {
  DeploymentFacts,
  SetFacts,
} from '../../workflows/plan/machine-deployment/rollout/facts.ts';
import { availableAt, presentIn } from '../../workflows/plan/machine-deployment/rollout/facts.ts';
import type {
  DeploymentPlan,
  DeploymentStep,
  NodeStep,
} from '../../workflows/plan/machine-deployment/rollout/steps.ts';
import type { Cluster } from './simulated-cluster.ts';
import { now } from './simulated-cluster.ts';
import { apply, applyToNodes, letMachinesProgress, letSetsAct } from './simulated-acts.ts';
import { observe } from './simulated-facts.ts';

export interface Happening {
  /** What somebody does, in words. */
  text: string;
  happen: (cluster: Cluster) => void;
}

export interface Round {
  facts: DeploymentFacts;
  plan: DeploymentPlan;
  /**
   * The plan, and those made at once of what is known after the first: what each went by, and its
   * steps that were done.
   */
  turns: Turn[];
  /** Steps that were refused as the set had changed since. */
  refused: DeploymentStep[];
}

interface Turn {
  facts: DeploymentFacts;
  done: DeploymentStep[];
}

/** First the world changes, then the deployment looks at it and acts. */
function playRound(cluster: Cluster): Round {
  cluster.round += 1;
  letMachinesProgress(cluster);
  letSetsAct(cluster);
  const facts = observe(cluster);
  const plan = planMachineDeployment(facts, now(cluster));
  const refused = plan.steps.filter((step) => !apply(cluster, step));
  const turns = [{ facts, done: plan.steps.filter((step) => !refused.includes(step)) }];
  if (refused.length === 0) turns.push(...goOn(cluster, facts, plan.steps));
  if (plan.nodeStep) applyToNodes(cluster, plan.nodeStep);
  return { facts, plan, turns, refused };
}

/**
 * As the workflow does, which plans again without another look where it knows what its writes left.
 */
function goOn(cluster: Cluster, facts: DeploymentFacts, steps: DeploymentStep[]): Turn[] {
  const written = cluster.sets.map(({ name, resourceVersion }) => ({
    name,
    resourceVersion: String(resourceVersion),
  }));
  const next = steps.length > 0 ? afterSteps(facts, steps, written) : undefined;
  if (!next) return [];
  const plan = planMachineDeployment(next, now(cluster));
  const done = plan.steps.filter((step) => apply(cluster, step));
  return [{ facts: next, done }, ...goOn(cluster, next, done)];
}

/** Rounds in which nothing changes before a simulation ends. */
const quietRounds = 6;
const mostRounds = 300;

/** @param happenings By the round before which they happen. */
export function transcriptOf(cluster: Cluster, happenings: Record<number, Happening> = {}): string {
  const transcript = new Transcript();
  const last = Math.max(0, ...Object.keys(happenings).map(Number));
  let quiet = 0;
  while (cluster.round < last || quiet < quietRounds) {
    if (cluster.round > mostRounds) throw new Error(`no end:\n${transcript.text}`);
    const happening = happenings[cluster.round + 1];
    if (happening) {
      transcript.add(`--- ${happening.text}`);
      happening.happen(cluster);
    }
    const round = playRound(cluster);
    const isNew = transcript.addRound(cluster, wordsOf(cluster, round));
    quiet = isNew ? 0 : quiet + 1;
  }
  transcript.end();
  return transcript.text;
}

class Transcript {
  #blocks: string[] = [];
  #last = '';
  #since = 0;

  get text(): string {
    return `${this.#blocks.join('\n\n')}\n`;
  }

  /** The last round goes on for ever. */
  end(): void {
    this.#blocks[this.#blocks.length - 1] = `from round ${this.#since} on: ${this.#last}`;
  }

  add(block: string): void {
    this.#blocks.push(block);
    this.#last = '';
  }

  /** Equal rounds are told once. Returns whether it was a new one. */
  addRound({ round }: Cluster, words: string): boolean {
    const isNew = words !== this.#last;
    if (isNew) {
      this.#blocks.push('');
      this.#since = round;
    }
    const rounds = this.#since === round ? `round ${round}` : `rounds ${this.#since} to ${round}`;
    this.#blocks[this.#blocks.length - 1] = `${rounds}: ${words}`;
    this.#last = words;
    return isNew;
  }
}

function wordsOf({ deployment }: Cluster, { facts, plan, turns, refused }: Round): string {
  const { sets, replicas } = facts;
  const steps = [
    ...refused.map((step) => `refused: ${stepText(step)}`),
    ...turns.flatMap(({ done }) => done.map(stepText)),
  ];
  const { state, reason, next, blockedBy, report } = plan;
  const condition = deployment.condition ? ` (${deployment.condition.reason})` : '';
  const shown = sets.filter((set) => set.replicas > 0 || set.machines !== '' || set.going > 0);
  const lines = [
    `${state}${condition}, ${replicas} replicas`,
    ...shown.map((set) => `  ${sizesOf(set)}`),
    `  because: ${reason}`,
    next !== undefined && `  next: ${next}`,
    blockedBy !== undefined && `  blocked by: ${blockedBy}`,
    report && `  event: ${report.type} ${report.reason}: ${report.message}`,
    ...steps.map((step) => `  -> ${step}`),
    plan.nodeStep && `  -> ${nodeStepText(plan.nodeStep)}`,
  ];
  return lines.filter((line) => typeof line === 'string').join('\n');
}

function sizesOf(set: SetFacts): string {
  const counts = [
    `${set.replicas} wanted`,
    `${presentIn(set)} present`,
    `${availableAt(set, Infinity)} available`,
    `${set.going} going`,
  ];
  return `${set.name}: ${counts.join(', ')}${set.isObserved ? '' : ' (behind)'}`;
}

function stepText(step: DeploymentStep): string {
  return `${doingOf(step)}: ${step.reason}`;
}

function doingOf(step: DeploymentStep): string {
  const { action } = step;
  if (action === 'scaleSet') return `scale ${step.name} ${step.from} -> ${step.replicas}`;
  if (action === 'syncSet') return `sync ${step.name}, revision ${step.revision}`;
  if (action === 'closeSet') return `${step.isClosed ? 'close' : 'open'} ${step.name}`;
  if (action === 'deleteSets') return `delete ${step.names.join(', ')}`;
  if (action === 'refuseRollback') return `${action}, ${step.event}`;
  if (action === 'rollBack' || action === 'giveUp') return `${action} ${step.set}`;
  if (action !== 'createSet') return action;
  return `create set ${step.name} with ${step.replicas}, revision ${step.revision}`;
}

function nodeStepText(step: NodeStep): string {
  switch (step.action) {
    case 'taintNodes':
    case 'untaintNodes':
      return `${step.action} of ${step.set}: ${step.reason}`;
    case 'protectNodes':
      return `${step.action}, ${step.nodes.length} of them: ${step.reason}`;
    case 'releaseNodes':
      return `${step.action}: ${step.reason}`;
  }
}
