/** Keeps what an instance has printed that was no Ready Node in time. */
import type { Instance } from '../../workflows/plan/machine/facts.ts';
import type { ConsoleRead } from '../../workflows/contracts/machine-activities.ts';
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { clipStart } from '../../workflows/values/clip.ts';
import { longestConsoleEndBytes } from '../../workflows/values/console-output.ts';
import { withoutSecretPatterns } from '../redaction/console-output.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isRejected } from '../../kube/client/errors.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { component, machineSubject, patchMachine, referenceOf } from './object.ts';

/**
 * On the object, before its phase says Failed: then its set deletes it. `/status` takes no
 * annotations, so this is a write of its own. Returns the Machine as it is then; undefined when it
 * is gone. Fails with a conflict when it is not as it was read: then it may have joined. A Machine
 * that takes no annotation turns Failed all the same.
 */
export async function keepConsoleOutput(
  control: KubeClient,
  current: Machine,
  output: ConsoleRead | undefined,
): Promise<Machine | undefined> {
  if (!output || !('text' in output)) return current;
  const text = withoutSecretPatterns(output.text);
  const { resourceVersion } = current.metadata;
  const metadata = { resourceVersion, annotations: { [annotations.consoleOutput]: text } };
  try {
    return await patchMachine(control, referenceOf(current), { metadata });
  } catch (error) {
    if (isRejected(error)) return current;
    throw error;
  }
}

export interface ConsoleReport {
  machine: ObjectReference;
  instance?: Instance | undefined;
  consoleOutput?: ConsoleRead | undefined;
}

/** An Event outlives the object by an hour. */
export function reportConsoleOutput(
  control: KubeClient,
  { machine, instance, consoleOutput }: ConsoleReport,
): void {
  if (!instance || !consoleOutput) return;
  const message = messageOf(machine.name, instance, consoleOutput);
  recordEvent(control, machineSubject(machine), {
    type: 'Warning',
    reason: 'NeverJoined',
    message,
    component,
  });
}

/** An Event takes so many characters, from their begin: of the output the end counts. */
const longestMessage = 1_024;

function messageOf(name: string, { providerID }: Instance, output: ConsoleRead): string {
  const words = `Machine ${name} has no Ready Node`;
  if ('reason' in output) {
    return `${words}, and the console of instance ${providerID} was not read: ${output.reason}`;
  }
  const head = `${words}. Instance ${providerID} has printed last:\n`;
  const room = Math.min(longestConsoleEndBytes, longestMessage - head.length);
  return `${head}${clipStart(withoutSecretPatterns(output.text), room)}`;
}
