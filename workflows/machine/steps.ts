/** The code of each step that the plan of a Machine can ask for. */
import type { MachineStep } from '../plan/machine/steps.ts';
import { getConsoleOutput } from './console-output.ts';
import { missingInstanceSteps } from './missing-instance.ts';
import { inPlaceSteps } from './update-in-place.ts';
import { preservationSteps } from './preservation.ts';
import { teardownSteps } from './teardown.ts';
import type { StepContext } from './step-context.ts';
import { checkHealth } from './check-health.ts';
import { joinSteps } from './join.ts';
import { launchSteps } from './launch.ts';

export type StepName = Exclude<MachineStep['action'], 'wait' | 'cancel' | 'startOver' | 'complete'>;

export const steps: Readonly<Record<StepName, (context: StepContext) => Promise<void>>> = {
  ...launchSteps,
  ...joinSteps,
  getConsoleOutput,
  checkHealth,
  ...missingInstanceSteps,
  ...preservationSteps,
  ...inPlaceSteps,
  ...teardownSteps,
};
