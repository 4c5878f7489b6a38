/** In which worlds DisruptionPolicies are served: the CRD is optional. */
import { policyKind } from '../judge/policies/policy-of.ts';
import { namedChance } from './named-chance.ts';
import type { World } from './world.ts';

const shareWithout = 0.25;
const shareOfLate = 0.25;
/** Of a world of hours. */
const longestAbsenceMs = 120 * 60_000;

/** From the beginning, from some later moment on, or never. */
export function servePolicies({ simulation, installs, weather }: World): void {
  for (const { name, server } of new Set(installs.map(({ control }) => control))) {
    const chance = namedChance(simulation.seed, `policies of ${name}`);
    const share = chance.share();
    const absentMs = chance.between(0, longestAbsenceMs);
    if (share < shareWithout) continue;
    if (share >= shareWithout + shareOfLate) {
      server.install(policyKind);
      continue;
    }
    simulation.after(absentMs, () => {
      if (weather.isClear) return;
      simulation.note('world', `${name} has the CRD of DisruptionPolicies from now on`);
      server.install(policyKind);
    });
  }
}
