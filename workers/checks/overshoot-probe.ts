/** Whether a run would freeze a MachineSet, or thaw one. */
import { checkOvershoot } from '../../activities/safety/overshoot.ts';
import { sleep } from '../../activities/system/system.ts';
import { isOvershooting, planFreezes } from '../../workflows/plan/safety/overshoot.ts';
import { overshootInput } from './checks.ts';
import type { Probe, ProbeParts } from './probe.ts';

/** As a run waits: a set that is scaled down gets rid of some machines in this time. */
const secondCountAfterMs = 5_000;

export function overshootProbe({ settings, dependencies, signal }: ProbeParts): Probe {
  const check = overshootInput(settings);
  return {
    async find() {
      // A run could not write what it decides: it would fail, and Temporal pause the Schedule.
      if (!dependencies.activeWatcher.isActive()) return undefined;
      const first = await checkOvershoot(dependencies, check);
      let second = first;
      if (isOvershooting(first)) {
        await sleep(secondCountAfterMs, { signal });
        second = await checkOvershoot(dependencies, check);
      }
      const freezes = planFreezes({ first, second }, check);
      if (freezes.length === 0) return undefined;
      return {
        key: freezes.map(({ kind, name, action }) => `${action} ${kind}/${name}`).join(),
        why: `${freezes.length} to freeze or thaw`,
      };
    },
  };
}
