/** Writes what a wave of a canary has come to, for the next one who plans, and for people. */
import { countPassed } from '../../workflows/plan/machine-deployment/rollout/canary.ts';
import type {
  RolloutOptions,
  WaveNote,
} from '../../workflows/plan/machine-deployment/rollout/facts.ts';
import { optionsOf } from '../../workflows/plan/machine-deployment/rollout/options.ts';
import { ownSubject } from '../../workflows/plan/machine-deployment/rollout/refused-steps.ts';
import type { Report, WaveStep } from '../../workflows/plan/machine-deployment/rollout/steps.ts';
import {
  noteText,
  waveAnnotations,
} from '../../workflows/plan/machine-deployment/rollout/waves.ts';
import { customResource } from '../../kube/client/paths.ts';
import { retryOnConflict } from '../../kube/client/retry-on-conflict.ts';
import { timestamp } from '../../kube/objects/time.ts';
import { nowMs } from '../system/system.ts';
import type { Attempt } from './attempt.ts';
import { readLiving, reportOn } from './lifecycle.ts';

/** Only in place of what was planned for: a person may have passed the wave meanwhile. */
export async function applyWave(
  { control, deployment: ref, refused }: Attempt,
  step: WaveStep,
): Promise<void> {
  const path = customResource('machinedeployments', ref.namespace, ref.name);
  const isDone = await refused.attemptOwn(ownSubject, () =>
    retryOnConflict(async () => {
      const deployment = await readLiving(control, ref);
      if (!deployment || !isMeant(step, optionsOf(deployment, Date.parse, nowMs()))) return false;
      const { uid, resourceVersion } = deployment.metadata;
      const metadata = { uid, resourceVersion, annotations: waveAnnotations(step, timestamp) };
      await control.patch(path, 'merge', { metadata });
      return true;
    }),
  );
  const report = reportOf(step);
  if (isDone && report) await reportOn(control, ref, report);
}

function isMeant(step: WaveStep, options: RolloutOptions): boolean {
  const { revision, count } = step.action === 'passWave' ? step : step.note;
  if (countPassed(options, revision) !== count) return false;
  return step.action === 'passWave' || textOf(options.waveNote) === textOf(step.was);
}

const textOf = (note: WaveNote | undefined): string => (note ? noteText(note, timestamp) : '');

function reportOf(step: WaveStep): Report | undefined {
  const { reason: message } = step;
  if (step.action === 'passWave') return { type: 'Normal', reason: 'CanaryPassed', message };
  if (step.note.machines) return undefined;
  return { type: 'Warning', reason: 'CanaryFailed', message };
}
