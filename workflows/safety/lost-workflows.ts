/**
 * One run of the check `safety/entities`: every Machine, MachineSet and MachineDeployment has its workflow, and every such
 * workflow its object. What is amiss twice is healed by the signal that the watcher would send.
 */
import { metricMeter, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { EntityCheck, EntityReport, HealedEntity } from '../contracts/safety-activities.ts';
import type { EntityLook } from '../plan/safety/lost-workflows.ts';
import { agreedOn, isWell } from '../plan/safety/lost-workflows.ts';
import { checkSteps } from '../runtime/activity-options.ts';

/** Longer than a signal takes, and than a list of workflows lags behind. */
const secondLookAfter = '5s';
/** Each heals some hundreds; what is left then is for the next run. */
const roundsMax = 20;
/** The report stands in a history. */
const namedMax = 100;

export async function safetyEntities(check: EntityCheck): Promise<EntityReport> {
  const done = new Map<string, HealedEntity>();
  for (let round = 1; ; round += 1) {
    const look = await findAmiss(check);
    if (isWell(look) || round > roundsMax) return close(check, reportOf(look, done));
    const input = { ...check, ...look };
    const outcome = await checkSteps(summaryOf(look)).healEntities(input);
    for (const entity of outcome) done.set(`${entity.kind}/${entity.name}`, entity);
    setCurrentDetails(detailsOf(check, reportOf(look, done)));
    // Nothing more to be done now.
    if (outcome.every(({ isHealed }) => !isHealed) && look.omitted === 0)
      return close(check, reportOf(look, done));
  }
}

async function findAmiss({ namespace }: EntityCheck): Promise<EntityLook> {
  const first = await compare(namespace);
  if (isWell(first)) return first;
  await sleep(secondLookAfter);
  return agreedOn(first, await compare(namespace));
}

function compare(namespace: string): Promise<EntityLook> {
  return checkSteps('compare objects with workflows').compareEntities({ namespace });
}

function summaryOf({ unattended, leftOver }: EntityLook): string {
  return `start ${unattended.length} workflows, end ${leftOver.length}`;
}

function reportOf(
  { objects, running }: EntityLook,
  done: ReadonlyMap<string, HealedEntity>,
): EntityReport {
  const all = [...done.values()];
  const healed = all.filter(({ isHealed }) => isHealed);
  const failed = all.filter(({ isHealed }) => !isHealed);
  return {
    objects,
    running,
    healed: healed.length,
    failed: failed.length,
    entities: [...failed, ...healed].slice(0, namedMax),
  };
}

function close(check: EntityCheck, report: EntityReport): EntityReport {
  setCurrentDetails(detailsOf(check, report));
  const tags = { kube_namespace: check.namespace };
  metricMeter
    .createCounter('millwright_safety_entities_healed', '', 'Workflows started or ended anew.')
    .add(report.healed, tags);
  metricMeter
    .createGauge(
      'millwright_safety_entities_failed',
      'int',
      '',
      'Objects and workflows that could not be brought together in the last run.',
    )
    .set(report.failed, tags);
  return report;
}

function detailsOf({ namespace }: EntityCheck, report: EntityReport): string {
  const { objects, running, entities } = report;
  return [
    `### Workflows of ${namespace}: ${running} run for ${objects} objects`,
    ...entities.map(({ kind, name, isHealed, why }) => {
      const word = isHealed ? 'Healed' : 'Not healed';
      return `- **${word}** \`${kind}/${namespace}/${name}\`: ${why}`;
    }),
  ].join('\n');
}
