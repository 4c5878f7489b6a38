/** Implements the core's part of the port, `workflows/contracts/machine-activities.ts`. */
import { Context } from '@temporalio/activity';
import type { DrainActivities, DrainRequest } from '../workflows/contracts/drain-activities.ts';
import type { KubeActivities } from '../workflows/contracts/kube-activities.ts';
import type { BlockedDrains } from './drain/wake-ups/blocked-drains.ts';
import type { DrainContext } from './drain/context.ts';
import type { DrainTime } from './drain/drain-time.ts';
import { drainNode } from './drain/drain-node.ts';
import { newsIn, progressOf } from './drain/progress.ts';
import type { InlineDeletions } from './drain/machine-removal.ts';
import { removeMachine } from './drain/machine-removal.ts';
import type { WatchedAttachments } from './drain/wake-ups/watched-attachments.ts';
import { forCurrentAttempt } from './runtime/current-attempt.ts';
import { noteProgress, reportProgress } from './interceptor.ts';
import { release } from '../kube/objects/finalizers.ts';
import { createGuard, gated } from './gates.ts';
import { requireActiveWatcher } from './runtime/leader-gate.ts';
import { refuseCommand } from './runtime/written-commands.ts';
import { nowMs } from './system/system.ts';
import { defined } from '../workflows/values/defined.ts';
import { applyDeploymentSteps } from './machine-deployment/apply.ts';
import { reportOn } from './machine-deployment/lifecycle.ts';
import { updateRolloutNodes } from './machine-deployment/rollout-nodes.ts';
import { applyRolloutCommand } from './machine-deployment/commands.ts';
import { observeMachineDeployment } from './machine-deployment/observe.ts';
import type { Progress } from './machine-set/batches.ts';
import { createMachines } from './machine-set/batches.ts';
import { deleteMachines } from './machine-set/deletions.ts';
import { markPreserved } from './machine-set/preserve.ts';
import { pushTemplate } from './machine-set/push.ts';
import { observeMachineSet } from './machine-set/observe.ts';
import { checkHealth } from './machine/health.ts';
import { deleteWithNode } from './machine/node/deleted.ts';
import { recordJoined } from './machine/join.ts';
import { recordMissingInstance } from './machine/missing-instance.ts';
import { findStaleNode } from './machine/node/claims.ts';
import { syncNode } from './machine/node/sync.ts';
import { machineSubject } from './machine/object.ts';
import { recordOperation } from './machine/operation.ts';
import { findProvider, readAndClaimMachine } from './machine/read-and-claim.ts';
import { preserveMachine } from './machine/preservation/preserve.ts';
import { recordCreated, recordFailure, recordTimeout } from './machine/record.ts';
import { applyMachineCommand } from './machine/commands.ts';
import { beginTeardown, finishTeardown } from './machine/teardown.ts';
import { keepWritten } from './machine/written-machines.ts';
import { readMachineClass, reportClass } from './machine-class/validation.ts';
import { protectFromDeletion } from './machine-class/protection.ts';
import { compareWorkflows, repairWorkflows } from './safety/lost-workflows.ts';
import { applyFreezes } from './safety/freeze.ts';
import { checkOvershoot } from './safety/overshoot.ts';
import { evaluateListings } from './safety/orphans/evaluate-listings.ts';
import { findProviders, reportOrphans } from './safety/orphans/classes.ts';
import { checkServers } from './safety/reachability.ts';
import { reportCredentials } from './safety/orphans/report-credentials.ts';
import { signalMissingInstances } from './safety/report-missing.ts';
import { markUnmanagedNodes } from './safety/unmanaged-nodes.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { ActivityDependencies } from './runtime/dependencies.ts';

export function createKubeActivities(dependencies: ActivityDependencies): KubeActivities {
  return gated(kubeActivities(dependencies), createGuard(dependencies));
}

function kubeActivities(dependencies: ActivityDependencies): KubeActivities {
  const { control } = dependencies;
  const ofAttempt = { ...dependencies, control: forCurrentAttempt(control, dependencies) };
  return {
    readAndClaimMachine: (input) => readAndClaimMachine(dependencies, input),
    recordCreated: (input) => recordCreated(dependencies, input),
    recordFailure: (input) => recordFailure(dependencies, input),
    recordJoined: (input) => recordJoined(dependencies, input),
    findStaleNode: (input) => findStaleNode(dependencies, input),
    syncNode: (input) => syncNode(dependencies, input),
    deleteWithNode: (input) => deleteWithNode(dependencies, input),
    recordTimeout: (input) => recordTimeout(dependencies, input),
    recordMissingInstance: (input) => recordMissingInstance(dependencies, input),
    checkHealth: (input) => checkHealth(dependencies, input),
    preserveMachine: (input) => preserveMachine(dependencies, input),
    applyMachineCommand: (input) => applyMachineCommand(dependencies, input),
    refuseCommand: (input) => refuseCommand(control, input),
    beginTeardown: (input) => beginTeardown(dependencies, input),
    recordOperation: (input) => recordOperation(dependencies, input),
    async findDriver({ provider, call }) {
      const isServed = await dependencies.hasDriver(provider, call);
      return defined({ isServed, rateLimit: await dependencies.rateLimitOf({ provider, call }) });
    },
    async findDrainWorker() {
      const isServed = await dependencies.hasDrainWorker();
      return defined({ isServed, rateLimit: await dependencies.rateLimitOf('drains') });
    },
    findProvider: (input) => findProvider(dependencies, input),
    finishTeardown: (input) => finishTeardown(dependencies, input),

    observeMachineSet: (input) => observeMachineSet(ofAttempt, input),
    createMachines: (input) => createMachines(ofAttempt, input, progressOfThisActivity(control)),
    deleteMachines: (input) =>
      deleteMachines({ ...ofAttempt, deleted: (machine) => keepWritten(control, machine) }, input),
    markPreserved: (input) => markPreserved(ofAttempt.control, input),
    pushTemplate: (input) => pushTemplate(ofAttempt.control, input),
    // Its gate is all that it is for.
    waitForResume: async () => undefined,
    releaseMachineSet: async ({ set }) => ({ isGone: await release(control, 'machinesets', set) }),

    observeMachineDeployment: (input) => observeMachineDeployment(ofAttempt, input),
    applyDeploymentSteps: (input) => applyDeploymentSteps(ofAttempt.control, input),
    async updateRolloutNodes(input) {
      const { target, machines, machineSets } = dependencies;
      if (!target) return { protectedNodes: [] };
      return await updateRolloutNodes({ control, machines, machineSets, target }, input);
    },
    applyRolloutCommand: (input) => applyRolloutCommand(dependencies, input),
    reportDeployment: ({ deployment, report }) => reportOn(control, deployment, report),

    protectFromDeletion: (input) => protectFromDeletion(dependencies, input),
    readMachineClass: (input) => readMachineClass(dependencies, input),
    reportClass: (input) => reportClass(dependencies, input),
    reportAcceptance: ({ ref }) => dependencies.refusals.accepted(ref, 'machines'),

    findProviders: (input) => findProviders(control, input),
    evaluateListings: (input) => evaluateListings(control, input),
    reportOrphans: (input) => reportOrphans(control, input),
    signalMissingInstances: (input) => signalMissingInstances(dependencies, input),
    reportCredentials: (input) => reportCredentials(dependencies, input),
    checkOvershoot: (input) => checkOvershoot(dependencies, input),
    applyFreezes: (input) => applyFreezes(control, input),
    compareWorkflows: (input) => compareWorkflows(dependencies, input),
    repairWorkflows: (input) => repairWorkflows(dependencies, input),
    checkServers: (input) => checkServers(dependencies, input),
    markUnmanagedNodes: (input) => markUnmanagedNodes(dependencies, input),
  };
}

/** State that the drains of a process share. */
export interface DrainWatches {
  drains: BlockedDrains;
  attachments: WatchedAttachments;
}

/** Without a target cluster there is nothing to watch, and nothing to drain. */
export function createDrainActivities(
  dependencies: ActivityDependencies,
  parts: DrainParts,
): DrainActivities {
  return gated(drainActivities(dependencies, parts), createGuard(dependencies));
}

export interface DrainParts {
  watches: DrainWatches | undefined;
  deletions: InlineDeletions;
  /** A drain is over. */
  drained?: (time: DrainTime) => void;
}

function drainActivities(
  dependencies: ActivityDependencies,
  { watches, deletions, drained }: DrainParts,
): DrainActivities {
  return {
    async drainNode({ removal: asked, ...drain }) {
      const removal = asked && deletions.serves(asked.deletion.provider) ? asked : undefined;
      const request = defined({ ...drain, removal });
      const subject = machineSubject(request.machine);
      const { control, target, targetCluster } = dependencies;
      if (!target || !watches) return { evictedPods: 0, isForced: false };
      const context = Context.current();
      const { heartbeatDetails, attempt, activityId } = context.info;
      const { workflowExecution } = context.info;
      if (!workflowExecution) throw new Error('a drain without a workflow');
      const watch = watches.drains.begin({ ...workflowExecution, activityId });
      const { workflowId } = workflowExecution;
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
        requireActiveWatcher: () => requireActiveWatcher(dependencies, subject),
        pauses: dependencies.pauses(),
        save: savingIn(context, request),
        drained,
        async report(report) {
          await context.client.workflow.getHandle(workflowId).signal('drainReport', report);
        },
        warn: (error) => context.log.warn('the Machine does not say how its drain goes', { error }),
      };
      const begunAt = nowMs();
      const outcome = await drainNode(pass, request).finally(() => watch.end());
      if (!removal || nowMs() - begunAt > latestRemovalMs) return outcome;
      const warn = (error: unknown): void =>
        context.log.warn('the machine is removed step by step', { error });
      const removed = await removeMachine({ dependencies, deletions, warn }, removal, outcome);
      return defined({ ...outcome, removal: removed });
    },
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

/** Instance, Node and finalizer need their time as well, out of the minute of an attempt. */
const latestRemovalMs = 20_000;

function progressOfThisActivity(control: KubeClient): Progress {
  const context = Context.current();
  const done: unknown = context.info.heartbeatDetails;
  return {
    done: Array.isArray(done) ? done.filter((name) => typeof name === 'string') : [],
    report: (names) => reportProgress(context, names),
    made: (machine) => keepWritten(control, machine),
    isSuperseded: () => context.cancellationSignal.aborted,
  };
}
