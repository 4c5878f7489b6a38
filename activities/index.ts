/** Implements the core's part of the port, `workflows/activities.ts`. */
import { Context } from '@temporalio/activity';
import type { DrainActivities, KubeActivities } from '../workflows/activities.ts';
import { drainNode } from './drain/drain-node.ts';
import { notLicensed } from './failures.ts';
import { reportProgress } from './interceptor.ts';
import { release } from './kube/finalizer.ts';
import { applyDeploymentSteps } from './machine-deployment/apply.ts';
import { reportOn } from './machine-deployment/life.ts';
import { tendNodes } from './machine-deployment/nodes.ts';
import { steerDeployment } from './machine-deployment/steer.ts';
import { surveyMachineDeployment } from './machine-deployment/survey.ts';
import type { Progress } from './machine-set/batches.ts';
import { createMachines, deleteMachines } from './machine-set/batches.ts';
import { pushTemplate } from './machine-set/push.ts';
import { surveyMachineSet } from './machine-set/survey.ts';
import { recordJoined } from './machine/join.ts';
import { findStaleNode } from './machine/node-claims.ts';
import { syncNode } from './machine/node-sync.ts';
import { prepareMachine } from './machine/prepare.ts';
import { recordCreated, recordFailure, recordTimeout } from './machine/record.ts';
import { beginTeardown, finishTeardown } from './machine/teardown.ts';
import { protectFromDeletion } from './protection.ts';
import type { World } from './world.ts';

export function createKubeActivities(world: World): KubeActivities {
  const { control } = world;
  return {
    prepareMachine: (input) => prepareMachine(world, input),
    recordCreated: (input) => recordCreated(world, input),
    recordFailure: (input) => recordFailure(world, input),
    recordJoined: (input) => recordJoined(world, input),
    findStaleNode: (input) => findStaleNode(world, input),
    syncNode: (input) => syncNode(world, input),
    recordTimeout: (input) => recordTimeout(world, input),
    beginTeardown: (input) => beginTeardown(world, input),
    finishTeardown: (input) => finishTeardown(world, input),

    surveyMachineSet: (input) => surveyMachineSet(world, input),
    async createMachines(input) {
      requireLicence(world);
      return await createMachines(control, input, progressOfThisActivity());
    },
    async deleteMachines(input) {
      requireLicence(world);
      await deleteMachines(control, input);
    },
    pushTemplate: (input) => pushTemplate(control, input),
    releaseMachineSet: ({ set }) => release(control, 'machinesets', set),

    surveyMachineDeployment: (input) => surveyMachineDeployment(world, input),
    applyDeploymentSteps: (input) => applyDeploymentSteps(control, input),
    async tendNodes(input) {
      const { target } = world;
      return target ? await tendNodes({ control, target }, input) : { protectedNodes: [] };
    },
    steerDeployment: (input) => steerDeployment(control, input),
    reportDeployment: ({ deployment, report }) => reportOn(control, deployment, report),

    protectFromDeletion: (input) => protectFromDeletion(control, input),
  };
}

export function createDrainActivities(world: World): DrainActivities {
  return {
    async drainNode(request) {
      requireLicence(world);
      if (!world.target) return { evictedPods: 0, isForced: false };
      const signal = Context.current().cancellationSignal;
      return await drainNode({ target: world.target, signal }, request);
    },
  };
}

/** At the edge of everything that creates or destroys. */
export function requireLicence({ licence, namespace }: Pick<World, 'licence' | 'namespace'>): void {
  if (!licence.isGranted()) throw notLicensed(namespace);
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
