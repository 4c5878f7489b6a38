/** How to give a command from a shell, as the pages of runs print it. */
import { inWorkflowContext, workflowInfo } from '@temporalio/workflow';
import type { CommandSource } from '../api/command-source.ts';
import type { MachineCommand, RolloutCommand } from '../contracts/commands.ts';
import type { NamespacedName } from '../contracts/references.ts';
import { howToWrite } from '../contracts/written-command.ts';
import { relatedId } from './related-workflow.ts';

export interface Commanded {
  kind: 'machine' | 'machineDeployment';
  ref: NamespacedName;
  /** Source of its worker's commands; default `temporal`. */
  source: CommandSource | undefined;
}

/** An update, as it is answered; empty where no command is taken. */
export function printedCommand(
  { kind, ref, source = 'temporal' }: Commanded,
  command: MachineCommand | RolloutCommand,
): string[] {
  if (source === 'none') return [];
  if (source === 'kubernetes') {
    return [howToWrite({ resource: kind.toLowerCase(), ...ref }, command)];
  }
  const namespace = inWorkflowContext() ? workflowInfo().namespace : 'default';
  const { verb, ...fields } = command;
  const input = Object.keys(fields).length === 0 ? '' : ` --input '${JSON.stringify(fields)}'`;
  return [
    `temporal workflow update execute --namespace ${namespace} --workflow-id ${relatedId(kind, ref)} --name ${verb}${input}`,
  ];
}
