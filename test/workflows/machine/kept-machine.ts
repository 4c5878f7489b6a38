/** A machine that is kept for a look at it, as far as its workflow can tell. */
import type { DrainRequest } from '../../../workflows/contracts/drain-activities.ts';
import type { HealthOutcome } from '../../../workflows/contracts/machine-activities.ts';
import type {
  PreserveOutcome,
  PreserveRequest,
} from '../../../workflows/contracts/preservation-activities.ts';
import type { PreservationNotes } from '../../../workflows/api/preservation.ts';
import { planPreservation } from '../../../workflows/plan/machine/preservation.ts';
import type { MachineWorld } from './machine-world.ts';
import { instance } from './machine-world.ts';

export const minutes = 60;

/** Machine and Node as a look finds and leaves them. */
export class Kept {
  notes: PreservationNotes = {};
  phase: 'Running' | 'Failed' = 'Running';
  hasNode = true;
  isOutOfReach = false;
  drain: (request: DrainRequest) => Promise<void> = async () => undefined;
  health: 'Running' | 'Unknown' = 'Running';

  readonly look = async ({ now }: PreserveRequest): Promise<PreserveOutcome> => {
    if (this.isOutOfReach) return { found: 'outOfReach', reason: 'connection refused' };
    const { preserve, expiry } = this.notes;
    const plan = planPreservation(
      {
        requests: { ...(preserve !== undefined && { machine: preserve }) },
        hasNode: this.hasNode,
        phase: this.phase,
        timeoutSeconds: 10 * minutes,
        ...(expiry !== undefined && { expiresAt: Date.parse(expiry) }),
      },
      now,
    );
    if (plan.action === 'preserve') {
      this.notes = { ...this.notes, expiry: new Date(plan.until).toISOString() };
      const { value, until } = plan;
      const isToBeDrained = plan.isToBeDrained && this.hasNode;
      return { found: 'machine', notes: this.notes, preservation: { value, until, isToBeDrained } };
    }
    const { expiry: _over, preserve: wish, ...rest } = this.notes;
    const forgets = plan.action === 'stop' && plan.forgets;
    this.notes = { ...rest, ...(wish !== undefined && !forgets && { preserve: wish }) };
    return { found: 'machine', ...(Object.keys(this.notes).length > 0 && { notes: this.notes }) };
  };

  readonly drainNode = async (request: DrainRequest) => {
    await this.drain(request);
    return { evictedPods: 0, isForced: request.isForced };
  };

  readonly checkHealth = async (): Promise<HealthOutcome> => {
    const phase = this.phase === 'Failed' ? 'Failed' : this.health;
    return { found: 'machine', finding: { phase, faults: phase === 'Running' ? [] : ['ill'] } };
  };
}

/** `kubectl annotate`, and the watcher's word of it. */
export async function annotate(world: MachineWorld, kept: Kept, changes: PreservationNotes) {
  kept.notes = { ...kept.notes, ...changes };
  await world.observe({ preservation: kept.notes });
}

/** The watcher tells of our own writes. */
export async function echo(world: MachineWorld, kept: Kept) {
  const isSilent = Object.keys(kept.notes).length === 0;
  await world.observe(isSilent ? {} : { preservation: kept.notes });
}

/** Its health timeout was over before this life began. */
export async function beginFailed(world: MachineWorld, kept: Kept): Promise<void> {
  kept.phase = 'Failed';
  kept.notes = { preserve: 'when-failed' };
  const { providerID, nodeName } = instance;
  world.object = { ...world.object, phase: 'Failed', providerID, nodeName, machineSet: 'pool' };
  world.object = { ...world.object, preservation: kept.notes };
  await world.begin({ preservation: kept.notes });
  await world.phase('Failed');
}
