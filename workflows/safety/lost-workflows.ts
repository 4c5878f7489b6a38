/**
 * One run of the check `safety/lost-workflows`: every Machine, MachineSet and MachineDeployment has
 * its workflow, and every such workflow its object. A mismatch found twice is repaired by the
 * signal that the watcher would send.
 */
import { log, setCurrentDetails, setWorkflowOptions, sleep } from '@temporalio/workflow';
import type {
  WorkflowCheck,
  WorkflowReport,
  RepairedWorkflow,
} from '../contracts/safety-activities.ts';
import type { WorkflowComparison } from '../plan/safety/lost-workflows.ts';
import { agreedOn, isWell } from '../plan/safety/lost-workflows.ts';
import { safetyCheck } from '../runtime/activity-options.ts';
import { count } from '../runtime/counters.ts';
import { pinned } from '../runtime/pinned.ts';

/** Longer than a signal takes, and than a list of workflows lags behind. */
const secondCheckAfter = '5s';
/** Each heals some hundreds; what is left then is for the next run. */
const roundsMax = 20;
/** The report stands in a history. */
const namedMax = 100;

export async function safetyLostWorkflows(check: WorkflowCheck): Promise<WorkflowReport> {
  const done = new Map<string, RepairedWorkflow>();
  for (let round = 1; ; round += 1) {
    const found = await findMismatches(check);
    if (isWell(found) || round > roundsMax) return close(check, reportOf(found, done));
    const input = { ...check, ...found };
    const outcome = await safetyCheck(
      `start ${found.unattended.length} workflows, end ${found.leftOver.length}`,
    ).repairWorkflows(input);
    for (const entity of outcome) noteRepaired(check, done, entity);
    setCurrentDetails(detailsOf(check, reportOf(found, done)));
    // Nothing more to be done now.
    if (outcome.every(({ isHealed }) => !isHealed) && found.omitted === 0)
      return close(check, reportOf(found, done));
  }
}

setWorkflowOptions(pinned, safetyLostWorkflows);

async function findMismatches({ namespace }: WorkflowCheck): Promise<WorkflowComparison> {
  const first = await compare(namespace);
  if (isWell(first)) return first;
  await sleep(secondCheckAfter);
  return agreedOn(first, await compare(namespace));
}

function compare(namespace: string): Promise<WorkflowComparison> {
  return safetyCheck('compare objects with workflows').compareWorkflows({ namespace });
}

/** A workflow that is healed gets a line of the log: docs/logs.md. */
function noteRepaired(
  { namespace }: WorkflowCheck,
  done: Map<string, RepairedWorkflow>,
  entity: RepairedWorkflow,
): void {
  const { kind, name, isHealed, why } = entity;
  done.set(`${kind}/${name}`, entity);
  if (isHealed) log.info('repairs the workflow', { [kind]: `${namespace}/${name}`, why });
}

function reportOf(
  { objects, running }: WorkflowComparison,
  done: ReadonlyMap<string, RepairedWorkflow>,
): WorkflowReport {
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

function close(check: WorkflowCheck, report: WorkflowReport): WorkflowReport {
  setCurrentDetails(detailsOf(check, report));
  count('entitiesHealed', { kube_namespace: check.namespace }, report.healed);
  return report;
}

function detailsOf({ namespace }: WorkflowCheck, report: WorkflowReport): string {
  const { objects, running, entities } = report;
  return [
    `### Workflows of ${namespace}: ${running} run for ${objects} objects`,
    ...entities.map(({ kind, name, isHealed, why }) => {
      const word = isHealed ? 'Healed' : 'Not healed';
      return `- **${word}** \`${kind}/${namespace}/${name}\`: ${why}`;
    }),
  ].join('\n');
}
