/**
 * Last part of `createInstance`, in the attempt that made the instance: it writes the ids to the
 * Machine, and where it hears of the Node in time, the join. A failure here does not fail the
 * create: the workflow schedules the steps that are left one by one
 * (docs/decisions/0039-record-with-the-create.md, 0062-one-process.md).
 */
import { createdBy } from '../../workflows/contracts/driver-answers.ts';
import type {
  LaunchRequest,
  RecordedCreateOutcome,
} from '../../workflows/contracts/driver-activities.ts';
import type { CreatedInstance, CreateOutcome } from '../../workflows/contracts/driver-contract.ts';
import type { KubeActivities } from '../../workflows/contracts/kube-activities.ts';
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import type { NodeSnapshot } from '../../workflows/contracts/snapshots.ts';
import { after } from '../system/system.ts';
import { mayHaveStaleNode } from '../../workflows/plan/machine/stale-node.ts';
import { defined } from '../../workflows/values/defined.ts';
import { isSameInstance } from '../../workflows/values/provider-id.ts';

export interface RecordParts {
  /** Behind their gates: the watcher may have lost its Lease during the create. */
  steps: Pick<KubeActivities, 'findStaleNode' | 'recordCreated' | 'recordJoined'>;
  /** Machines are to have a Node. */
  usesTarget: boolean;
  /**
   * Hears of the Node from before the Machine names it until `end`, which returns what was heard
   * last. Undefined: nothing does so here.
   */
  awaitNode(machine: ObjectReference): AwaitedNode | undefined;
  /** Of the activity: a deletion aborts it, and goes on without the ids on the object. */
  cancellation(): AbortSignal;
  warn(error: unknown): void;
  /** Until then the Machine has no phase yet, milliseconds. Default 3 s. */
  soonMs?: number;
}

interface AwaitedNode {
  /** Undefined: it was not Ready in time. */
  ready: Promise<NodeSnapshot | undefined>;
  end(): NodeSnapshot | undefined;
}

type Request = Pick<
  LaunchRequest,
  | 'machine'
  | 'provider'
  | 'token'
  | 'className'
  | 'bootstrapTokenId'
  | 'nodeTemplate'
  | 'nodeConditions'
>;

export async function recordWithCreate(
  parts: RecordParts,
  request: Request,
  outcome: CreateOutcome,
): Promise<RecordedCreateOutcome> {
  const { usesTarget, cancellation, warn } = parts;
  const cancelled = cancellation();
  if (cancelled.aborted) return outcome;
  const answer = createdBy(outcome, { ...request, usesTarget, isCancelled: false });
  if (answer.outcome !== 'created') return outcome;
  const { instance } = answer;
  const { machine } = request;
  // The Node of an instance that was there before is read: who heard of it last is not known.
  const awaited = usesTarget && !instance.isFound ? parts.awaitNode(machine) : undefined;
  const stop = (): void => void awaited?.end();
  cancelled.addEventListener('abort', stop);
  try {
    if (await isNameTaken(parts, request, instance)) return outcome;
    const joined = await recordUntilJoined(parts, request, { instance, ready: awaited?.ready });
    const last = awaited?.end();
    const node = last === joined?.node ? undefined : last;
    return defined({ ...outcome, isRecorded: true, joined, node });
  } catch (error) {
    warn(error);
    return outcome;
  } finally {
    cancelled.removeEventListener('abort', stop);
    awaited?.end();
  }
}

interface Launched {
  instance: CreatedInstance;
  /** Absent: it is not waited for. */
  ready?: Promise<NodeSnapshot | undefined> | undefined;
}

/** A Machine whose Node is Ready within a moment is Running at once, and never was Pending. */
async function recordUntilJoined(
  parts: RecordParts,
  request: Request,
  { instance, ready }: Launched,
): Promise<RecordedCreateOutcome['joined']> {
  const { steps, usesTarget, cancellation, soonMs = 3_000 } = parts;
  const known = { machine: request.machine, instance, usesTarget };
  if (!ready) {
    await steps.recordCreated(known);
    return undefined;
  }
  const cancelled = cancellation();
  await steps.recordCreated({ ...known, only: 'ids' });
  const atOnce = await within(soonMs, ready);
  if (atOnce && !cancelled.aborted) {
    const joined = await join(parts, request, { instance, ready: atOnce, isUnsaid: true });
    if (joined) return joined;
  }
  await steps.recordCreated({ ...known, only: 'phase' });
  const later = atOnce ? undefined : await ready;
  if (!later || cancelled.aborted) return undefined;
  return await join(parts, request, { instance, ready: later, isUnsaid: false });
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const limit = after(ms, () => resolve(undefined));
  try {
    return await Promise.race([work, promise]);
  } finally {
    limit.cancel();
  }
}

async function isNameTaken(
  { steps, usesTarget }: RecordParts,
  { machine, token }: Request,
  instance: CreatedInstance,
): Promise<boolean> {
  const generation = Number(token.slice(token.lastIndexOf('-') + 1));
  const place = { machineName: machine.name, usesTarget, generation };
  return mayHaveStaleNode(instance, place) && (await steps.findStaleNode({ instance })).isStale;
}

interface JoiningInstance {
  instance: CreatedInstance;
  ready: NodeSnapshot;
  /** The Machine has only its ids. */
  isUnsaid: boolean;
}

/** Undefined: the workflow looks again. */
async function join(
  { steps, warn }: RecordParts,
  { machine, className, nodeTemplate, nodeConditions, bootstrapTokenId }: Request,
  { instance, ready: node, isUnsaid }: JoiningInstance,
): Promise<RecordedCreateOutcome['joined']> {
  const { providerID, nodeName } = instance;
  if (node.name !== nodeName || !isSameInstance(node.providerID, providerID)) return undefined;
  const known = { providerID, className, nodeTemplate, nodeConditions, bootstrapTokenId };
  const { name, uid } = node;
  try {
    const created = isUnsaid ? instance : undefined;
    const asked = defined({ machine, node: { name, uid }, ...known, created });
    const outcome = await steps.recordJoined(asked);
    if (!outcome.hasJoined) return undefined;
    return { node, ...(outcome.isApplied && { isApplied: true }) };
  } catch (error) {
    warn(error);
    return undefined;
  }
}
