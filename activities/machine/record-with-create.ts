/**
 * Last part of `createInstance`, in the attempt that made the instance: it writes the ids to the
 * Machine. A failure here does not fail the create: the workflow schedules the steps that are left
 * one by one (docs/decisions/0039-record-with-the-create.md).
 */
import { createdBy } from '../../workflows/contracts/driver-answers.ts';
import type { RecordedCreateOutcome } from '../../workflows/contracts/driver-activities.ts';
import type { CreateOutcome, DriverRequest } from '../../workflows/contracts/driver-contract.ts';
import type { KubeActivities } from '../../workflows/contracts/kube-activities.ts';
import { mayHaveStaleNode } from '../../workflows/plan/machine/stale-node.ts';

export interface RecordParts {
  /** Behind their gates: the watcher may have lost its Lease during the create. */
  steps: Pick<KubeActivities, 'findStaleNode' | 'recordCreated'>;
  /** Machines are to have a Node. */
  usesTarget: boolean;
  /** State of the activity: a deletion cancels it, and goes on without the ids on the object. */
  isCancelled(): boolean;
  warn(error: unknown): void;
}

export async function recordWithCreate(
  parts: RecordParts,
  request: Pick<DriverRequest, 'machine' | 'provider' | 'token'>,
  outcome: CreateOutcome,
): Promise<RecordedCreateOutcome> {
  const { usesTarget, isCancelled, warn } = parts;
  if (isCancelled()) return outcome;
  const answer = createdBy(outcome, { ...request, usesTarget, isCancelled: false });
  if (answer.outcome !== 'created') return outcome;
  const { instance } = answer;
  const { machine, token } = request;
  try {
    const generation = Number(token.slice(token.lastIndexOf('-') + 1));
    if (mayHaveStaleNode(instance, { machineName: machine.name, usesTarget, generation })) {
      const { isStale } = await parts.steps.findStaleNode({ instance });
      if (isStale) return outcome;
    }
    await parts.steps.recordCreated({ machine, instance, usesTarget });
  } catch (error) {
    warn(error);
    return outcome;
  }
  return { ...outcome, isRecorded: true };
}
