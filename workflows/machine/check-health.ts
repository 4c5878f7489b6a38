/** The step that checks the health of a machine that has joined. */
import type { HealthFinding } from '../plan/machine/health.ts';
import { afterCheck, beforeCheck } from '../plan/machine/health.ts';
import { localFirst } from '../runtime/activity-options.ts';
import { healthRequestOf, noteHealth } from './health.ts';
import { noteNothingToEvaluate, noteEvaluated } from './missing-instance.ts';
import { digestOf, noteJoinedBy, noteLossHandled, ownNodeOf } from './node.ts';
import { markGone } from './object.ts';
import { setPhase } from './phase.ts';
import { instanceOf } from './state.ts';
import type { StepContext } from './step-context.ts';

export async function checkHealth(context: StepContext): Promise<void> {
  const { state } = context;
  const instance = instanceOf(state);
  if (!instance) return;
  const seen = digestOf(state.node.seen);
  const node = ownNodeOf(state);
  const begunAt = Date.now();
  const before = beforeCheck(state.health, begunAt);
  const phaseBefore = state.phase;
  const request = healthRequestOf({
    machine: context.machine(),
    instance,
    node,
    lossSeen: state.node.lossSeen,
    isInstanceGone: state.missing?.isConfirmed ?? false,
    before,
    now: begunAt,
  });
  const outcome = await localFirst((steps) => steps.checkHealth(request), 'check its health');
  const endedAt = Date.now();
  if (outcome.found === 'nothing') markGone(state);
  if (outcome.found !== 'machine') {
    // The watcher signals the deletion.
    noteHealth(state, { seen, checkedAt: endedAt, pausedMs: 0 });
    noteNothingToEvaluate(state);
    return;
  }
  noteJoinedBy(state, node);
  // Among many that went at once it is no reason to delete the machine later, when others are back.
  if (request.hasLostNode && node && isEvaluated(outcome.finding)) noteLossHandled(state, node);
  const check = { seen, begunAt, endedAt, random: Math.random() };
  noteHealth(state, afterCheck(before, outcome.finding, check));
  if ('phase' in outcome.finding) setPhase(state, outcome.finding.phase);
  noteEvaluated(state, phaseBefore, outcome.finding);
}

/** Not where an API server was out of reach, or refused the deletion that is due. */
function isEvaluated(finding: HealthFinding): boolean {
  return 'phase' in finding && finding.refusal === undefined;
}
