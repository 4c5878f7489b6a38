/** Operators who click on "Reset" in the Temporal UI, as docs/steering-from-the-ui.md allows it. */
import type { Chance } from '../engine/chance.ts';
import type { World } from '../world/world.ts';
import { note } from './lasting.ts';

const types: readonly string[] = ['machine', 'machineSet', 'machineDeployment'];

/** To any task of its history; what came since is brought to the next run, or is not. */
export function resetRun(world: World, chance: Chance): void {
  const { engine, isUp } = world.temporal;
  const isReapplied = chance.happens(0.6);
  const open = Array.from(engine.executions()).filter(
    ({ isOpen, points, run }) => isOpen && points.length > 0 && types.includes(run.workflowType),
  );
  if (!isUp || open.length === 0) return note(world, 'no run can be reset');
  const { run, history, points } = chance.pick(open);
  const eventId = history.idOf(chance.pick(points).length + 1);
  const what = isReapplied ? 'with' : 'without';
  note(world, `${run.workflowId} is reset to event ${eventId} ${what} what came since`);
  engine.reset(run.workflowId, { eventId, isReapplied });
}
