/** The activity `drainNode`: a drain gets what it needs of its attempt and of the process. */
import { Context } from '@temporalio/activity';
import type { DrainActivities, DrainRequest } from '../../workflows/contracts/drain-activities.ts';
import { drainReport } from '../../workflows/contracts/messages.ts';
import { defined } from '../../workflows/values/defined.ts';
import { machineSubject } from '../machine/object.ts';
import { beginWithDrain } from '../machine/teardown.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { noteProgress, reportProgress } from '../runtime/heartbeat-details.ts';
import { requireActiveWatcher } from '../runtime/leader-gate.ts';
import { nowMs } from '../system/system.ts';
import type { DrainContext } from './context.ts';
import { drainNode } from './drain-node.ts';
import type { DrainTime } from './context.ts';
import { removeMachine, type InlineDeletions } from './machine-removal.ts';
import { newsIn, progressOf } from './progress.ts';
import type { BlockedDrains } from './wake-ups/blocked-drains.ts';
import type { WatchedAttachments } from './wake-ups/watched-attachments.ts';

/** What the drains of a process share. */
export interface DrainWatches {
  drains: BlockedDrains;
  attachments: WatchedAttachments;
}

export interface DrainParts {
  /** Without a target cluster there is nothing to watch, and nothing to drain. */
  watches: DrainWatches | undefined;
  deletions: InlineDeletions;
  /** A drain is over. */
  drained?: (time: DrainTime) => void;
}

/** Instance, Node and finalizer need their time as well, out of the minute of an attempt. */
const latestRemovalMs = 20_000;

export function createDrainNode(
  dependencies: ActivityDependencies,
  { watches, deletions, drained }: DrainParts,
): DrainActivities['drainNode'] {
  return async ({ removal: asked, begins = false, ...drain }) => {
    const { control, target, targetCluster } = dependencies;
    if (!target || !watches) return { evictedPods: 0, isForced: false };
    const removal = asked && deletions.serves(asked.deletion.provider) ? asked : undefined;
    const request = defined({ ...drain, removal });
    const context = Context.current();
    const { heartbeatDetails, attempt, activityId, workflowExecution } = context.info;
    if (!workflowExecution) throw new Error('a drain without a workflow');
    const subject = machineSubject(drain.machine);
    const mayDestroy = (): Promise<void> => requireActiveWatcher(dependencies, subject);
    // One that left something behind had begun.
    const mustBegin = begins && heartbeatDetails === undefined;
    const machine = mustBegin ? await beginWithDrain(dependencies, drain.machine) : undefined;
    if (mustBegin && !machine) return { evictedPods: 0, isForced: false, isNotBegun: true };
    await mayDestroy();
    const workflow = context.client.workflow.getHandle(workflowExecution.workflowId);
    const watch = watches.drains.begin({ ...workflowExecution, activityId });
    const pass: DrainContext = {
      control,
      target,
      targetCluster,
      watch,
      attachments: watches.attachments,
      signal: context.cancellationSignal,
      settings: dependencies.defaults,
      details: heartbeatDetails,
      isFirstAttempt: attempt === 1,
      machine,
      requireActiveWatcher: mayDestroy,
      pauses: dependencies.pauses(),
      save: savingIn(context, request),
      drained,
      report: (report) => workflow.signal(drainReport, report),
      warn: (error) => context.log.warn('the Machine does not say how its drain goes', { error }),
    };
    const begunAt = nowMs();
    const outcome = await drainNode(pass, request).finally(() => watch.end());
    if (!removal || outcome.isHeld || nowMs() - begunAt > latestRemovalMs) return outcome;
    const warn = (error: unknown): void =>
      context.log.warn('the machine is removed step by step', { error });
    const removed = await removeMachine({ dependencies, deletions, warn }, removal, outcome);
    return defined({ ...outcome, removal: removed });
  };
}

/** A heartbeat is an action of Temporal Cloud: none for what the server knows. */
function savingIn(context: Context, { earlier }: DrainRequest): DrainContext['save'] {
  let known = newsIn(progressOf(context.info.heartbeatDetails, earlier));
  return (progress) => {
    const news = newsIn(progress);
    if (news === known) noteProgress(context, progress);
    else reportProgress(context, progress);
    known = news;
  };
}
