/** A machine whose Node is updated in place, as far as its workflow can tell. */
import type { DrainOutcome, DrainRequest } from '../../../workflows/contracts/drain-activities.ts';
import type { InPlaceNode } from '../../../workflows/api/in-place.ts';
import type { JoinedPhase } from '../../../workflows/plan/machine/health.ts';
import type { HealthOutcome } from '../../../workflows/contracts/machine-activities.ts';
import type {
  InPlaceOutcome,
  InPlaceRequest,
} from '../../../workflows/contracts/in-place-activities.ts';
import type { InPlacePlan } from '../../../workflows/plan/machine/in-place.ts';
import { isHealthHeld, planInPlace } from '../../../workflows/plan/machine/in-place.ts';
import { defined } from '../../../workflows/values/defined.ts';
import type { MachineWorld } from './machine-world.ts';
import { instance } from './machine-world.ts';

const minutes = 60_000;
export const timeoutMs = 20 * minutes;
export const healthTimeoutMs = 10 * minutes;

export const selected: InPlaceNode = { isCandidate: true, isSelected: true };

/** Machine and Node as a step finds and leaves them. */
export class Updated {
  node: InPlaceNode = {};
  phase: JoinedPhase = 'Running';
  phaseSince = 0;
  isHealthy = true;
  /** Something keeps a machine from being replaced. */
  hold: string | undefined;
  fails: 'outOfReach' | 'refused' | undefined;
  /** What was written, in its order. */
  readonly done: string[] = [];
  drain: (request: DrainRequest) => Promise<Partial<DrainOutcome>> = async () => ({});

  readonly updateInPlace = async ({ isDrained, now }: InPlaceRequest): Promise<InPlaceOutcome> => {
    if (this.fails) return { found: this.fails, reason: 'no answer' };
    const { phase, node } = this;
    const plan = planInPlace(defined({ phase, node, isDrained, deadline: this.#deadline() }), now);
    const isHeld = plan.action === 'fail' && this.hold !== undefined;
    if (!isHeld) this.#do(plan, now);
    return defined({
      found: 'machine' as const,
      phase: this.phase,
      node: { uid: 'uid-of-node', inPlace: { ...this.node } },
      deadline: isHeld ? now + minutes : this.#deadline(),
      hold: isHeld ? this.hold : undefined,
    });
  };

  #deadline(): number | undefined {
    if (this.phase === 'InPlaceUpdating') return this.phaseSince + timeoutMs;
    return this.phase === 'InPlaceUpdateFailed' ? this.phaseSince + healthTimeoutMs : undefined;
  }

  #do(plan: InPlacePlan, now: number): void {
    if (plan.action === 'setCondition') {
      this.node = { ...this.node, reason: plan.reason, since: now };
      this.done.push(plan.reason);
    } else if (plan.action === 'removeCondition') {
      const { reason: _removed, since: _old, ...left } = this.node;
      this.node = left;
      this.done.push('removed');
    } else if (plan.action === 'setPhase' || plan.action === 'fail') {
      this.phase = plan.action === 'fail' ? 'Failed' : plan.phase;
      this.phaseSince = now;
      this.done.push(this.phase);
    }
  }

  readonly drainNode = async (request: DrainRequest): Promise<DrainOutcome> => {
    const { isForced, isForUpdate = false } = request;
    this.done.push(isForUpdate ? 'drain for update' : 'drain');
    const outcome = await this.drain(request);
    return { evictedPods: 0, isForced, ...(isForUpdate && { isEmptied: true }), ...outcome };
  };

  readonly checkHealth = async (): Promise<HealthOutcome> => {
    const { phase, node } = this;
    const isLeft = isHealthHeld(phase, node.reason) || phase === 'Failed';
    const next = isLeft ? phase : this.isHealthy ? 'Running' : 'Unknown';
    if (next !== phase) this.done.push(next);
    this.phase = next;
    return { found: 'machine', finding: { phase: next, faults: this.isHealthy ? [] : ['ill'] } };
  };

  get steps() {
    const { updateInPlace, drainNode, checkHealth } = this;
    return { updateInPlace, drainNode, checkHealth };
  }

  /** As the command leaves it. */
  retry(): void {
    const { result: _taken, ...left } = this.node;
    this.node = left;
    this.phase = 'InPlaceUpdating';
    this.phaseSince += 9 * minutes;
  }

  /** A person, a controller or an agent writes to the Node, and the watcher signals it. */
  async say(world: MachineWorld, changes: InPlaceNode): Promise<void> {
    this.node = { ...this.node, ...changes };
    await this.echo(world);
  }

  /** The watcher signals the Node as it is. */
  async echo(world: MachineWorld): Promise<void> {
    const inPlace = Object.keys(this.node).length > 0 ? { inPlace: this.node } : {};
    await world.joinNode({ conditionsDigest: this.node.reason ?? 'ready', ...inPlace });
  }

  /** A workflow that knows nothing, of a machine that is in the middle of it. */
  async takeOver(world: MachineWorld): Promise<void> {
    const { providerID, nodeName } = instance;
    const ids = { providerID, nodeName, wasNodeSeen: true as const };
    world.object = { ...world.object, ...ids, phase: this.phase };
    await world.begin();
    await this.echo(world);
  }
}
