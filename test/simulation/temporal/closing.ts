/** Which commands of a workflow end its run. */
import type { Command } from './messages.ts';

export function isClosing(command: Command): boolean {
  return Boolean(
    command.completeWorkflowExecution ??
    command.failWorkflowExecution ??
    command.cancelWorkflowExecution ??
    command.continueAsNewWorkflowExecution,
  );
}
