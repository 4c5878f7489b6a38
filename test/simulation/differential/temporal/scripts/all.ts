/** All scripts that were written by hand. */
import type { Script } from '../script.ts';
import { activityScripts } from './activities.ts';
import { killScripts } from './kills.ts';
import { localActivityScripts } from './local-activities.ts';
import { resetScripts } from './resets.ts';
import { runScripts } from './runs.ts';
import { scheduleScripts } from './schedules.ts';
import { updateScripts } from './updates.ts';

export const handWritten: readonly Script[] = [
  ...activityScripts,
  ...localActivityScripts,
  ...runScripts,
  ...killScripts,
  ...updateScripts,
  ...scheduleScripts,
  ...resetScripts,
];
