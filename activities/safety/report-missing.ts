import type { SafetyActivities } from '../../workflows/contracts/safety-activities.ts';
import { component } from '../machine/object.ts';
import type { World } from '../runtime/dependencies.ts';
import { tellOn } from './orphans/classes.ts';

type Input = Parameters<SafetyActivities['tellOfMissing']>[0];

export async function tellOfMissing(
  { control, entities }: Pick<World, 'control' | 'entities'>,
  { namespace, missing, stopped }: Input,
): Promise<void> {
  for (const { name, ...snapshot } of missing) await entities.tellOfMissing(name, snapshot);
  for (const { className, message } of stopped) {
    await tellOn(
      control,
      { namespace, name: className },
      { type: 'Warning', reason: 'TooManyMissing', message, component },
    );
  }
}
