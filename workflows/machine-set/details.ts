/** Page of a MachineSet in the Temporal UI, beside its next step. */
import type { MachineSetState } from './state.ts';
import type { ObservedMachineSet } from '../plan/machine-set/plan.ts';
import { relatedId } from '../runtime/related-workflow.ts';

export function formatFacts(state: MachineSetState, namespace: string): string[] {
  const { observation, requeues, unmatched, unpushable, machineDeployment } = state;
  const { create, push } = requeues;
  const facts = observation ? formatObservation(observation, state.createdSince) : [];
  if (unmatched) facts.push(`**Outside the selector:** ${unmatched.names.join(', ')}`);
  if (unpushable) {
    const { names, error = 'another writer changes them back' } = unpushable;
    const next = push ? `; next try ${new Date(push.retryAt).toISOString()}` : '';
    facts.push(`**Do not take the template:** ${names.join(', ')} (${error}${next})`);
  }
  if (create) {
    facts.push(`**Last error:** ${create.message}`);
    facts.push(`**Next try:** ${new Date(create.retryAt).toISOString()}`);
  }
  if (machineDeployment !== undefined) {
    facts.push(
      `**Above:** workflow \`${relatedId('machineDeployment', { namespace, name: machineDeployment })}\``,
    );
  }
  return facts;
}

function formatObservation(
  { desired, present, total, failed }: ObservedMachineSet,
  createdSince: number,
): string[] {
  const counts = [
    `${desired.replicas} wanted`,
    `${present + createdSince} present`,
    `${total - present} going away`,
    `${failed.total} failed`,
    failed.preserved > 0 && `${failed.preserved} of them preserved`,
    failed.held > 0 && `${failed.held} of them not yet allowed to be replaced`,
  ];
  const facts = [`**Machines:** ${counts.filter((text) => text !== false).join(', ')}`];
  if (desired.frozenBy !== undefined) {
    facts.push(`**Blocked by:** label \`${desired.frozenBy}\` of this set: no machine is made`);
  }
  if (desired.faults.length > 0) facts.push(`**Wrong in the spec:** ${desired.faults.join('; ')}`);
  return facts;
}
