/** Implements the core's part of the port, `workflows/contracts/machine-activities.ts`. */
import { Context } from '@temporalio/activity';
import type { DrainActivities } from '../workflows/contracts/drain-activities.ts';
import type { KubeActivities } from '../workflows/contracts/kube-activities.ts';
import type { BlockedDrains } from './drain/wake-ups/blocked-drains.ts';
import type { DrainContext } from './drain/drain-node.ts';
import { drainNode } from './drain/drain-node.ts';
import type { WatchedAttachments } from './drain/wake-ups/watched-attachments.ts';
import { forCurrentAttempt } from './current-attempt.ts';
import { reportProgress } from './interceptor.ts';
import { release } from './kube/objects/finalizers.ts';
import { createGuard, gated } from './gates.ts';
import { requireLicence } from './leader-gate.ts';
import { applyDeploymentSteps } from './machine-deployment/apply.ts';
import { reportOn } from './machine-deployment/lifecycle.ts';
import { tendNodes } from './machine-deployment/nodes.ts';
import { steerDeployment } from './machine-deployment/commands.ts';
import { surveyMachineDeployment } from './machine-deployment/survey.ts';
import type { Progress } from './machine-set/batches.ts';
import { createMachines } from './machine-set/batches.ts';
import { deleteMachines } from './machine-set/deletions.ts';
import { markPreserved } from './machine-set/preserve.ts';
import { pushTemplate } from './machine-set/push.ts';
import { surveyMachineSet } from './machine-set/survey.ts';
import { checkHealth } from './machine/health.ts';
import { deleteWithNode } from './machine/node/deleted.ts';
import { recordJoined } from './machine/join.ts';
import { recordLoss } from './machine/missing-instance.ts';
import { findStaleNode } from './machine/node/claims.ts';
import { syncNode } from './machine/node/sync.ts';
import { machineSubject } from './machine/object.ts';
import { recordOperation } from './machine/operation.ts';
import { findProvider, prepareMachine } from './machine/prepare.ts';
import { preserveMachine } from './machine/preservation/preserve.ts';
import { recordCreated, recordFailure, recordTimeout } from './machine/record.ts';
import { steerMachine } from './machine/commands.ts';
import { beginTeardown, finishTeardown } from './machine/teardown.ts';
import { lookAtClass, reportClass } from './machine-class/validation.ts';
import { protectFromDeletion } from './machine-class/protection.ts';
import { compareEntities, healEntities } from './safety/lost-workflows.ts';
import { applyFreezes } from './safety/freeze.ts';
import { lookForOvershoot } from './safety/overshoot.ts';
import { judgeListings } from './safety/orphans/judge-listings.ts';
import { findProviders, tellOfOrphans } from './safety/orphans/classes.ts';
import { lookAtServers } from './safety/reachability.ts';
import { tellOfCredentials } from './safety/orphans/report-credentials.ts';
import { tellOfMissing } from './safety/report-missing.ts';
import { markUnmanagedNodes } from './safety/unmanaged-nodes.ts';
import type { World } from './dependencies.ts';

export function createKubeActivities(world: World): KubeActivities {
  return gated(kubeActivities(world), createGuard(world));
}

function kubeActivities(world: World): KubeActivities {
  const { control } = world;
  const ofAttempt = { ...world, control: forCurrentAttempt(control, world) };
  return {
    prepareMachine: (input) => prepareMachine(world, input),
    recordCreated: (input) => recordCreated(world, input),
    recordFailure: (input) => recordFailure(world, input),
    recordJoined: (input) => recordJoined(world, input),
    findStaleNode: (input) => findStaleNode(world, input),
    syncNode: (input) => syncNode(world, input),
    deleteWithNode: (input) => deleteWithNode(world, input),
    recordTimeout: (input) => recordTimeout(world, input),
    recordLoss: (input) => recordLoss(world, input),
    checkHealth: (input) => checkHealth(world, input),
    preserveMachine: (input) => preserveMachine(world, input),
    steerMachine: (input) => steerMachine(world, input),
    beginTeardown: (input) => beginTeardown(world, input),
    recordOperation: (input) => recordOperation(world, input),
    findDriver: async ({ provider, call }) => ({
      isServed: await world.hasDriver(provider, call),
    }),
    findProvider: (input) => findProvider(world, input),
    finishTeardown: (input) => finishTeardown(world, input),

    surveyMachineSet: (input) => surveyMachineSet(ofAttempt, input),
    createMachines: (input) => createMachines(ofAttempt.control, input, progressOfThisActivity()),
    deleteMachines: (input) => deleteMachines(ofAttempt.control, input),
    markPreserved: (input) => markPreserved(ofAttempt.control, input),
    pushTemplate: (input) => pushTemplate(ofAttempt.control, input),
    // Its gate is all that it is for.
    waitForResume: async () => undefined,
    releaseMachineSet: ({ set }) => release(control, 'machinesets', set),

    surveyMachineDeployment: (input) => surveyMachineDeployment(ofAttempt, input),
    applyDeploymentSteps: (input) => applyDeploymentSteps(ofAttempt.control, input),
    async tendNodes(input) {
      const { target } = world;
      return target ? await tendNodes({ control, target }, input) : { protectedNodes: [] };
    },
    steerDeployment: (input) => steerDeployment(control, input),
    reportDeployment: ({ deployment, report }) => reportOn(control, deployment, report),

    protectFromDeletion: (input) => protectFromDeletion(world, input),
    lookAtClass: (input) => lookAtClass(world, input),
    reportClass: (input) => reportClass(world, input),
    reportAcceptance: ({ ref }) => world.refusals.accepted(ref, 'machines'),

    findProviders: (input) => findProviders(control, input),
    judgeListings: (input) => judgeListings(control, input),
    tellOfOrphans: (input) => tellOfOrphans(control, input),
    tellOfMissing: (input) => tellOfMissing(world, input),
    tellOfCredentials: (input) => tellOfCredentials(world, input),
    lookForOvershoot: (input) => lookForOvershoot(world, input),
    applyFreezes: (input) => applyFreezes(control, input),
    compareEntities: (input) => compareEntities(world, input),
    healEntities: (input) => healEntities(world, input),
    lookAtServers: (input) => lookAtServers(world, input),
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
  world: World,
  watches: DrainWatches | undefined,
): DrainActivities {
  return gated(drainActivities(world, watches), createGuard(world));
}

function drainActivities(world: World, watches: DrainWatches | undefined): DrainActivities {
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
        requireLicence: () => requireLicence(world, subject),
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
