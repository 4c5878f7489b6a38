/**
 * One run of the check `safety/overshoot`: sets with too many machines are frozen, and thawed when
 * that is over.
 */
import { log, setCurrentDetails, setWorkflowOptions, sleep } from '@temporalio/workflow';
import type {
  FreezeOutcome,
  OvershootCheck,
  OvershootReport,
} from '../contracts/safety-activities.ts';
import type { OvershootFinding } from '../plan/safety/overshoot.ts';
import { isOvershooting, planFreezes } from '../plan/safety/overshoot.ts';
import { safetyCheck } from '../runtime/activity-options.ts';
import { pinned } from '../runtime/pinned.ts';

/** A set that is scaled down gets rid of some machines in this time. */
const secondCheckAfter = '5s';
/** The report stands in a history. */
const namedMax = 100;

export async function safetyOvershoot(check: OvershootCheck): Promise<OvershootReport> {
  const first = await count(check);
  const second = isOvershooting(first) ? await countAgain(check) : first;
  const freezes = planFreezes({ first, second }, check);
  const { namespace } = check;
  const outcomes =
    freezes.length === 0
      ? []
      : await safetyCheck(`freeze or thaw ${freezes.length}`).applyFreezes({ namespace, freezes });
  for (const { action, kind, name, why, error } of outcomes) {
    if (error === undefined) log.info(`${action}s`, { [kind]: `${namespace}/${name}`, why });
  }
  const report = {
    sets: second.total,
    changed: outcomes.slice(0, namedMax),
    frozen: second.sets.filter(({ name, isFrozen }) => isFrozenNow(name, isFrozen, outcomes))
      .length,
    unchecked: second.unchecked.slice(0, namedMax),
  };
  setCurrentDetails(detailsOf(check, report));
  return report;
}

setWorkflowOptions(pinned, safetyOvershoot);

function count(check: OvershootCheck): Promise<OvershootFinding> {
  return safetyCheck('count the machines of each set').checkOvershoot(check);
}

async function countAgain(check: OvershootCheck): Promise<OvershootFinding> {
  await sleep(secondCheckAfter);
  return await count(check);
}

function isFrozenNow(name: string, was: boolean, outcomes: readonly FreezeOutcome[]): boolean {
  const change = outcomes.find((done) => done.kind === 'machineSet' && done.name === name);
  return change && change.error === undefined ? change.action === 'freeze' : was;
}

function detailsOf({ namespace }: OvershootCheck, report: OvershootReport): string {
  const { sets, frozen, changed, unchecked } = report;
  return [
    `### MachineSets of ${namespace}: ${frozen} of ${sets} frozen`,
    ...changed.map(({ action, kind, name, why, error }) => {
      const failure = error === undefined ? '' : `; **failed:** ${error}`;
      return `- **${action}** \`${kind}/${namespace}/${name}\`: ${why}${failure}`;
    }),
    ...unchecked.map(({ name, why }) => `- **Not checked** \`${name}\`: ${why}`),
  ].join('\n');
}
