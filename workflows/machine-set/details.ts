/** What the page of a MachineSet in the Temporal UI says beside its next step. */
import type { MachineSetState } from './state.ts';
import type { SetSurvey } from '../plan/machine-set/plan.ts';
import { relatedId } from '../runtime/related-workflow.ts';

export function factsInWords(state: MachineSetState, namespace: string): string[] {
  const { survey, lastError, retryAt, strays, unpushable, machineDeployment } = state;
  const facts = survey ? surveyInWords(survey, state.createdSince) : [];
  if (strays) facts.push(`**Outside the selector:** ${strays.names.join(', ')}`);
  if (unpushable) {
    const { names, error = 'another writer changes them back' } = unpushable;
    facts.push(`**Do not take the template:** ${names.join(', ')} (${error})`);
  }
  if (lastError !== undefined) facts.push(`**Last error:** ${lastError}`);
  if (retryAt !== undefined) facts.push(`**Next try:** ${new Date(retryAt).toISOString()}`);
  if (machineDeployment !== undefined) {
    facts.push(
      `**Above:** workflow \`${relatedId('machineDeployment', { namespace, name: machineDeployment })}\``,
    );
  }
  return facts;
}

function surveyInWords(
  { demand, present, total, failed }: SetSurvey,
  createdSince: number,
): string[] {
  const counts = [
    `${demand.replicas} wanted`,
    `${present + createdSince} present`,
    `${total - present} going away`,
    `${failed.total} failed`,
    failed.preserved > 0 && `${failed.preserved} of them preserved`,
    failed.held > 0 && `${failed.held} of them not yet allowed to be replaced`,
  ];
  const facts = [`**Machines:** ${counts.filter((text) => text !== false).join(', ')}`];
  if (demand.frozenBy !== undefined) {
    facts.push(`**Blocked by:** label \`${demand.frozenBy}\` of this set: no machine is made`);
  }
  if (demand.faults.length > 0) facts.push(`**Wrong in the spec:** ${demand.faults.join('; ')}`);
  return facts;
}
