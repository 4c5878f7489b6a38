/** The page of a machine in the Temporal UI: what it waits for, since when, until when, and what a person can do. */
import type { MachineState } from './machine-state.ts';
import type { ObjectRef } from './messages.ts';
import type { MachineStep } from './plan/machine.ts';

/** Markdown. The UI draws tables without borders, so these are lists. */
export function machineDetails(ref: ObjectRef, state: MachineState, step: MachineStep): string {
  const { instance, prepared, failure } = state;
  const lines = [
    `### Machine ${ref.namespace}/${ref.name}: ${state.phase === '' ? 'New' : state.phase}`,
    `- **Next:** ${nextOf(step)}`,
    `- **In this phase since** ${timeOf(state.phaseSince)}`,
  ];
  if (step.action === 'wait' && step.until !== undefined)
    lines.push(`- **Until** ${timeOf(step.until)}`);
  if (failure)
    lines.push(
      `- **Failed attempts:** ${failure.attempts}; \`${failure.detail.code}\`: ${failure.detail.message}`,
    );
  if (instance)
    lines.push(`- **Instance** \`${instance.providerID}\`, Node \`${instance.nodeName}\``);
  if (prepared)
    lines.push(
      `- **MachineClass** \`${prepared.className}\` (provider ${prepared.provider ?? 'unknown'})`,
    );
  if (prepared?.machineSet !== undefined) {
    lines.push(`- **Above:** workflow \`machineSet/${ref.namespace}/${prepared.machineSet}\``);
  }
  lines.push('', 'What you can do:', '', ...commandsOf(ref, state).map((line) => `    ${line}`));
  return lines.join('\n');
}

function nextOf(step: MachineStep): string {
  return step.action === 'wait' || step.action === 'complete' ? step.reason : step.action;
}

function commandsOf({ namespace, name }: ObjectRef, { failure, prepared }: MachineState): string[] {
  const commands = [`kubectl -n ${namespace} describe machine ${name}`];
  if (failure && prepared) {
    commands.push(
      `kubectl -n ${namespace} edit machineclass ${prepared.className}   # a mended class is tried at once`,
    );
  }
  commands.push(`kubectl -n ${namespace} delete machine ${name}`);
  return commands;
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
