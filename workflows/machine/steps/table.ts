/** The code of each step that the plan of a Machine can ask for. */
import type { MachineStep } from '../../plan/machine/steps.ts';
import type { StepContext } from './context.ts';
import { getConsoleOutput } from './console-output.ts';
import { checkHealth } from './health.ts';
import { deleteWithNode, recordJoined, recordTimeout, syncNode } from './join.ts';
import { create, findStaleNode, readAndClaim, recordCreated, recordFailure } from './launch.ts';
import { describeInstance, recordMissingInstance } from './missing-instance.ts';
import { drainPreserved, preserve } from './preservation.ts';
import {
  beginTeardown,
  deleteInstance,
  drain,
  findInstance,
  finishTeardown,
  recordSuccessor,
} from './teardown.ts';

export type StepName = Exclude<MachineStep['action'], 'wait' | 'cancel' | 'startOver' | 'complete'>;

export const steps: Readonly<Record<StepName, (context: StepContext) => Promise<void>>> = {
  readAndClaim,
  create,
  findStaleNode,
  recordCreated,
  recordFailure,
  recordJoined,
  syncNode,
  deleteWithNode,
  getConsoleOutput,
  recordTimeout,
  checkHealth,
  describeInstance,
  recordMissingInstance,
  preserve,
  drainPreserved,
  beginTeardown,
  findInstance,
  drain,
  deleteInstance,
  finishTeardown,
  recordSuccessor,
};
