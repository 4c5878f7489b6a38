/** Implements the core's part of the port, `workflows/contracts/machine-activities.ts`. */
import { Context } from '@temporalio/activity';
import type { DrainActivities } from '../workflows/contracts/drain-activities.ts';
import type { KubeActivities } from '../workflows/contracts/kube-activities.ts';
import type { BlockedDrains } from './drain/wake-ups/blocked-drains.ts';
import type { DrainContext } from './drain/context.ts';
import { drainNode } from './drain/drain-node.ts';
import type { WatchedAttachments } from './drain/wake-ups/watched-attachments.ts';
import { forCurrentAttempt } from './runtime/current-attempt.ts';
import { reportProgress } from './interceptor.ts';
import { release } from './kube/objects/finalizers.ts';
import { createGuard, gated } from './gates.ts';
import { requireActiveWatcher } from './runtime/leader-gate.ts';
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
import type { ActivityDependencies } from './runtime/dependencies.ts';

export function createKubeActivities(world: ActivityDependencies): KubeActivities {
  return gated(kubeActivities(world), createGuard(world));
}

function kubeActivities(world: ActivityDependencies): KubeActivities {
  const { control } = world;
  const ofAttempt = { ...world, control: forCurrentAttempt(control, world) };
  return {
    readAndClaimMachine: (input) => readAndClaimMachine(world, input),
    recordCreated: (input) => recordCreated(world, input),
    recordFailure: (input) => recordFailure(world, input),
    recordJoined: (input) => recordJoined(world, input),
    findStaleNode: (input) => findStaleNode(world, input),
    syncNode: (input) => syncNode(world, input),
    deleteWithNode: (input) => deleteWithNode(world, input),
    recordTimeout: (input) => recordTimeout(world, input),
    recordMissingInstance: (input) => recordMissingInstance(world, input),
    checkHealth: (input) => checkHealth(world, input),
    preserveMachine: (input) => preserveMachine(world, input),
    applyMachineCommand: (input) => applyMachineCommand(world, input),
    beginTeardown: (input) => beginTeardown(world, input),
    recordOperation: (input) => recordOperation(world, input),
    findDriver: async ({ provider, call }) => ({
      isServed: await world.hasDriver(provider, call),
    }),
    findProvider: (input) => findProvider(world, input),
    finishTeardown: (input) => finishTeardown(world, input),

    observeMachineSet: (input) => observeMachineSet(ofAttempt, input),
    createMachines: (input) => createMachines(ofAttempt.control, input, progressOfThisActivity()),
    deleteMachines: (input) => deleteMachines(ofAttempt.control, input),
    markPreserved: (input) => markPreserved(ofAttempt.control, input),
    pushTemplate: (input) => pushTemplate(ofAttempt.control, input),
    // Its gate is all that it is for.
    waitForResume: async () => undefined,
    releaseMachineSet: ({ set }) => release(control, 'machinesets', set),

    observeMachineDeployment: (input) => observeMachineDeployment(ofAttempt, input),
    applyDeploymentSteps: (input) => applyDeploymentSteps(ofAttempt.control, input),
    async updateRolloutNodes(input) {
      const { target } = world;
      return target ? await updateRolloutNodes({ control, target }, input) : { protectedNodes: [] };
    },
    applyRolloutCommand: (input) => applyRolloutCommand(control, input),
    reportDeployment: ({ deployment, report }) => reportOn(control, deployment, report),

    protectFromDeletion: (input) => protectFromDeletion(world, input),
    readMachineClass: (input) => readMachineClass(world, input),
    reportClass: (input) => reportClass(world, input),
    reportAcceptance: ({ ref }) => world.refusals.accepted(ref, 'machines'),

    findProviders: (input) => findProviders(control, input),
    evaluateListings: (input) => evaluateListings(control, input),
    reportOrphans: (input) => reportOrphans(control, input),
    signalMissingInstances: (input) => signalMissingInstances(world, input),
    reportCredentials: (input) => reportCredentials(world, input),
    checkOvershoot: (input) => checkOvershoot(world, input),
    applyFreezes: (input) => applyFreezes(control, input),
    compareWorkflows: (input) => compareWorkflows(world, input),
    repairWorkflows: (input) => repairWorkflows(world, input),
    checkServers: (input) => checkServers(world, input),
    markUnmanagedNodes: (input) => markUnmanagedNodes(world, input),
  };
}

/** What the drains of a process share. */
export interface DrainWatches {
  drains: BlockedDrains;
  attachments: WatchedAttachments;
}

/** Without a target cluster there is nothing to watch, and nothing to drain. */
export function createDrainActivities(
  world: ActivityDependencies,
  watches: DrainWatches | undefined,
): DrainActivities {
  return gated(drainActivities(world, watches), createGuard(world));
}

function drainActivities(
  world: ActivityDependencies,
  watches: DrainWatches | undefined,
): DrainActivities {
  return {
    async drainNode(request) {
      const subject = machineSubject(request.machine);
      const { control, target, targetCluster } = world;
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
        settings: world.defaults,
        details: heartbeatDetails,
        isFirstAttempt: attempt === 1,
        requireActiveWatcher: () => requireActiveWatcher(world, subject),
        pauses: world.pauses(),
        save: (progress) => reportProgress(context, progress),
        async report(report) {
          await context.client.workflow.getHandle(workflowId).signal('drainReport', report);
        },
        warn: (error) => context.log.warn('the Machine does not say how its drain goes', { error }),
      };
      try {
        return await drainNode(pass, request);
      } finally {
        watch.end();
      }
    },
  };
}

function progressOfThisActivity(): Progress {
  const context = Context.current();
  const done: unknown = context.info.heartbeatDetails;
  return {
    done: Array.isArray(done) ? done.filter((name) => typeof name === 'string') : [],
    report: (names) => reportProgress(context, names),
    isSuperseded: () => context.cancellationSignal.aborted,
  };
}
