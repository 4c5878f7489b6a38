import type { SafetyActivities } from '../../workflows/contracts/safety-activities.ts';
import { component } from '../machine/object.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { tellOn } from './orphans/classes.ts';

type MissingInstancesInput = Parameters<SafetyActivities['signalMissingInstances']>[0];

export async function signalMissingInstances(
  { control, workflows }: Pick<ActivityDependencies, 'control' | 'workflows'>,
  { namespace, missing, stopped }: MissingInstancesInput,
): Promise<void> {
  for (const { name, ...snapshot } of missing) await workflows.signalMissing(name, snapshot);
  for (const { className, message } of stopped) {
    await tellOn(
      control,
      { namespace, name: className },
      { type: 'Warning', reason: 'TooManyMissing', message, component },
    );
  }
}
