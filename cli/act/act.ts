/** Asks for a command on a Machine, and says what came of it. */
import { machineCommandEffects } from '../../workflows/api/command-verbs.ts';
import type { MachineCommand } from '../../workflows/contracts/commands.ts';
import { defined } from '../../workflows/values/defined.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { onceAgreed } from '../command-line/consent.ts';
import { millwrightFor } from '../command-line/millwright-line.ts';
import { readMachine } from '../objects/read-object.ts';
import { requireRight, rightOnMachines } from '../objects/rights.ts';
import { inTarget } from '../connection/target.ts';
import type { CommandOutcome } from './write-command.ts';
import { writeCommand } from './write-command.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import type { ConsentOptions } from '../command-line/consent.ts';
import type { TargetOptions } from '../connection/target.ts';
import { previewOf } from './preview.ts';
import { readNodePods } from '../objects/node-pods.ts';
import { refusalOf } from './state.ts';

export interface ActOptions extends ClusterOptions, OutputOptions, ConsentOptions, TargetOptions {
  /** Of the Machine. */
  name: string;
  command: MachineCommand;
}

export async function act(scope: ClusterScope, options: ActOptions): Promise<Answer> {
  const { kube, namespace } = scope;
  const { name, command } = options;
  const machine = await readMachine(scope, name);
  const refusal = refusalOf(machine, command);
  if (refusal !== undefined) throw new Error(refusal);
  await requireRight(kube, rightOnMachines('patch', 'machines', namespace));
  const nodePods = await inTarget(scope, options, (target) => readNodePods(target, machine));
  const preview = previewOf(nodePods, command);
  return await onceAgreed(options, preview, async () => {
    const { uid, generation } = machine.metadata;
    const wanted = {
      command: defined({ ...command, ifGeneration: generation }),
      done: machineCommandEffects[command.verb].reason,
    };
    const outcome = await writeCommand(scope, { name, uid }, wanted);
    const isDone = outcome.state === 'done' || outcome.state === 'unknown';
    const data = { ...preview.data, namespace, isDone, outcome };
    const text = `${preview.text}\n${messageOf(outcome, { namespace, name })}`;
    return { text, data, exitCode: isDone ? 0 : 1 };
  });
}

function messageOf(
  { state, words, written }: CommandOutcome,
  { namespace, name }: { namespace: string; name: string },
): string {
  switch (state) {
    case 'done':
      return `Done: ${words ?? ''}`;
    case 'refused':
      return `Refused: ${words ?? ''}`;
    case 'unknown':
      return `A worker took "${written}", and no Event says what came of it. See: kubectl -n ${namespace} describe machine ${name}`;
    case 'replaced':
      return `"${words ?? ''}" was written in the place of "${written}", and no Event says that a worker took it before. If it is still wanted, ask for it again`;
    case 'waiting':
      return `No worker has taken "${written}" yet; it stays asked for. See: ${millwrightFor('doctor', namespace)}. To take it back: kubectl -n ${namespace} annotate machine ${name} millwright.dev/command-`;
  }
}
