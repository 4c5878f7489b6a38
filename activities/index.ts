/** Implements the core's part of the port, `workflows/contracts/machine-activities.ts`. */
import { Context } from '@temporalio/activity';
import type { DrainActivities } from '../workflows/contracts/drain-activities.ts';
import type { KubeActivities } from '../workflows/contracts/kube-activities.ts';
import { createDrainNode, type DrainParts } from './drain/activity.ts';
import { forCurrentAttempt } from './runtime/current-attempt.ts';
import { reportProgress } from './runtime/heartbeat-details.ts';
import { release } from '../kube/objects/finalizers.ts';
import { createGuard, gated } from './gates.ts';
import { refuseCommand } from './runtime/written-commands.ts';
import { defined } from '../workflows/values/defined.ts';
import { applyDeploymentSteps } from './machine-deployment/apply.ts';
import { reportOn } from './machine-deployment/lifecycle.ts';
import { updateRolloutNodes } from './machine-deployment/rollout-nodes.ts';
import { applyRolloutCommand } from './machine-deployment/commands.ts';
import { observeMachineDeployment } from './machine-deployment/observe.ts';
import { selectForUpdate } from './machine-deployment/select-for-update.ts';
import { createMachines, type BatchProgress } from './machine-set/batches.ts';
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
import { checkHooks } from './machine/hooks.ts';
import { recordOperation } from './machine/operation.ts';
import { findProvider, readAndClaimMachine } from './machine/read-and-claim.ts';
import { updateInPlace } from './machine/in-place/update.ts';
import { preserveMachine } from './machine/preservation/preserve.ts';
import { recordCreated, recordFailure, recordTimeout } from './machine/record.ts';
import { applyMachineCommand } from './machine/commands.ts';
import { beginTeardown, finishTeardown } from './machine/teardown.ts';
import { readMachineClass, reportClass } from './machine-class/validation.ts';
import { protectFromDeletion } from './machine-class/protection.ts';
import { compareWorkflows, repairWorkflows } from './safety/lost-workflows.ts';
import { applyFreezes } from './safety/freeze.ts';
import { checkOvershoot } from './safety/overshoot.ts';
import { evaluateListings } from './safety/orphans/find-orphans.ts';
import { findProviders, reportOrphans } from './safety/orphans/classes.ts';
import { checkServers } from './safety/reachability.ts';
import { reportCredentials } from './safety/orphans/report-credentials.ts';
import { signalMissingInstances } from './safety/report-missing.ts';
import { markUnmanagedNodes } from './safety/unmanaged-nodes.ts';
import type { ObjectReference } from '../workflows/contracts/references.ts';
import type { Machine } from '../workflows/api/machine.ts';
import type { ActivityDependencies } from './runtime/dependencies.ts';

export function createKubeActivities(dependencies: ActivityDependencies): KubeActivities {
  return gated(kubeActivities(dependencies), createGuard(dependencies));
}

/** With clients that write nothing once the attempt is over. */
function forThisAttempt(dependencies: ActivityDependencies): ActivityDependencies {
  const { control, target } = dependencies;
  return {
    ...dependencies,
    control: forCurrentAttempt(control, dependencies),
    ...(target && { target: forCurrentAttempt(target, dependencies) }),
  };
}

function withSelection(dependencies: ActivityDependencies) {
  const ofAttempt = forThisAttempt(dependencies);
  const select = (machine: ObjectReference) => selectForUpdate(ofAttempt, machine);
  return { ...dependencies, selectForUpdate: select };
}

function kubeActivities(dependencies: ActivityDependencies): KubeActivities {
  const { control, memory } = dependencies;
  const keep = (machine: Machine): void => memory.written.keep(machine);
  const ofAttempt = forThisAttempt(dependencies);
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
    updateInPlace: (input) => updateInPlace(dependencies, input),
    applyMachineCommand: (input) => applyMachineCommand(withSelection(dependencies), input),
    refuseCommand: (input) => refuseCommand(control, input),
    beginTeardown: (input) => beginTeardown(dependencies, input),
    checkHooks: (input) => checkHooks(dependencies, input),
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
    createMachines: (input) => createMachines(ofAttempt, input, progressOfThisActivity(keep)),
    deleteMachines: (input) => deleteMachines({ ...ofAttempt, deleted: keep }, input),
    markPreserved: (input) => markPreserved(ofAttempt.control, input),
    pushTemplate: (input) => pushTemplate(ofAttempt.control, input),
    // Its gate is all that it is for.
    waitForResume: async () => undefined,
    releaseMachineSet: async ({ set }) => ({ isGone: await release(control, 'machinesets', set) }),

    observeMachineDeployment: (input) => observeMachineDeployment(ofAttempt, input),
    applyDeploymentSteps: (input) => applyDeploymentSteps(ofAttempt, input),
    async updateRolloutNodes(input) {
      const { target } = ofAttempt;
      if (!target) return { protectedNodes: [] };
      return await updateRolloutNodes({ ...ofAttempt, target }, input);
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

export function createDrainActivities(
  dependencies: ActivityDependencies,
  parts: DrainParts,
): DrainActivities {
  const drainNode = createDrainNode(dependencies, parts);
  return gated({ drainNode }, createGuard(dependencies));
}

function progressOfThisActivity(made: BatchProgress['made']): BatchProgress {
  const context = Context.current();
  const done: unknown = context.info.heartbeatDetails;
  return {
    done: Array.isArray(done) ? done.filter((name) => typeof name === 'string') : [],
    report: (names) => reportProgress(context, names),
    made,
    isSuperseded: () => context.cancellationSignal.aborted,
  };
}
