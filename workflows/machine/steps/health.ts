/** The step that looks at the health of a machine that has joined. */
import { afterLook, beforeLook } from '../../plan/machine/health.ts';
import { shortStep } from '../../runtime/activity-options.ts';
import { healthRequestOf, noteHealth } from '../health.ts';
import { noteNothingToWeigh, noteWeighed } from '../missing-instance.ts';
import { digestOf, ownNodeOf } from '../node.ts';
import { markGone } from '../object.ts';
import { setPhase } from '../phase.ts';
import { instanceOf } from '../state.ts';
import type { StepContext } from './context.ts';

export async function checkHealth(context: StepContext): Promise<void> {
  const { state } = context;
  const instance = instanceOf(state);
  if (!instance) return;
  const seen = digestOf(state.node.seen);
  const begunAt = Date.now();
  const before = beforeLook(state.health, begunAt);
  const phaseBefore = state.phase;
  const request = healthRequestOf({
    machine: context.machine(),
    instance,
    node: ownNodeOf(state),
    isInstanceGone: state.missing?.isConfirmed ?? false,
    before,
    now: begunAt,
  });
  const outcome = await shortStep((steps) => steps.checkHealth(request), 'look at its health');
  const endedAt = Date.now();
  if (outcome.found === 'nothing') markGone(state);
  if (outcome.found !== 'machine') {
    // The watcher tells of the deletion.
    noteHealth(state, { seen, lookedAt: endedAt, stoodStill: 0 });
    noteNothingToWeigh(state);
    return;
  }
  const look = { seen, begunAt, endedAt, random: Math.random() };
  noteHealth(state, afterLook(before, outcome.finding, look));
  if ('phase' in outcome.finding) setPhase(state, outcome.finding.phase);
  noteWeighed(state, phaseBefore, outcome.finding);
}
