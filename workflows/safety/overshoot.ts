/** One run of the check `safety/overshoot`: sets with too many machines are frozen, and thawed when that is over. */
import { metricMeter, setCurrentDetails, sleep } from '@temporalio/workflow';
import type {
  FreezeOutcome,
  OvershootCheck,
  OvershootReport,
} from '../contracts/safety-activities.ts';
import type { OvershootLook } from '../plan/safety/overshoot.ts';
import { isOvershooting, planFreezes } from '../plan/safety/overshoot.ts';
import { checkSteps } from '../runtime/activity-options.ts';

/** A set that is scaled down gets rid of some machines in this time. */
const secondLookAfter = '5s';
/** The report stands in a history. */
const namedMax = 100;

export async function safetyOvershoot(check: OvershootCheck): Promise<OvershootReport> {
  const first = await look(check);
  const second = isOvershooting(first) ? await lookAgain(check) : first;
  const freezes = planFreezes({ first, second }, check);
  const { namespace } = check;
  const outcomes =
    freezes.length === 0
      ? []
      : await checkSteps(`freeze or thaw ${freezes.length}`).applyFreezes({ namespace, freezes });
  const report = {
    sets: second.total,
    changed: outcomes.slice(0, namedMax),
    frozen: second.sets.filter(({ name, isFrozen }) => isFrozenNow(name, isFrozen, outcomes))
      .length,
    unjudged: second.unjudged.slice(0, namedMax),
  };
  setCurrentDetails(detailsOf(check, report));
  metricMeter
    .createGauge('millwright_safety_frozen_sets', 'int', '', 'MachineSets that make no machines.')
    .set(report.frozen, { kube_namespace: namespace });
  return report;
}

function look(check: OvershootCheck): Promise<OvershootLook> {
  return checkSteps('count the machines of each set').lookForOvershoot(check);
}

async function lookAgain(check: OvershootCheck): Promise<OvershootLook> {
  await sleep(secondLookAfter);
  return await look(check);
}

function isFrozenNow(name: string, was: boolean, outcomes: readonly FreezeOutcome[]): boolean {
  const change = outcomes.find((done) => done.kind === 'machineSet' && done.name === name);
  return change && change.error === undefined ? change.action === 'freeze' : was;
}

function detailsOf({ namespace }: OvershootCheck, report: OvershootReport): string {
  const { sets, frozen, changed, unjudged } = report;
  return [
    `### MachineSets of ${namespace}: ${frozen} of ${sets} frozen`,
    ...changed.map(({ action, kind, name, why, error }) => {
      const failure = error === undefined ? '' : `; **failed:** ${error}`;
      return `- **${action}** \`${kind}/${namespace}/${name}\`: ${why}${failure}`;
    }),
    ...unjudged.map(({ name, why }) => `- **Not judged** \`${name}\`: ${why}`),
  ].join('\n');
}
