/** Asks for a command on a Machine, and says what came of it. */
import type { MachineCommand } from '../../workflows/contracts/commands.ts';
import { defined } from '../../workflows/values/defined.ts';
import type { Answer } from '../command-line/answer.ts';
import type { Place } from '../connection/cluster.ts';
import { onceAgreed } from '../command-line/consent.ts';
import { millwrightFor } from '../command-line/millwright-line.ts';
import { readMachine } from '../objects/read-object.ts';
import { requireRight, rightOnMachines } from '../objects/rights.ts';
import { inTarget } from '../connection/target.ts';
import type { Outcome } from './write-command.ts';
import { writeCommand } from './write-command.ts';
import type { ActQuestion } from './command.ts';
import { outlookOf } from './outlook.ts';
import { readSight } from '../objects/node-pods.ts';
import { refusalOf } from './state.ts';

/** Reasons of the Events by which a worker says that it did one. */
const doneReasons: Record<MachineCommand['verb'], string> = {
  retryNow: 'RetryNow',
  skipDrain: 'DrainSkipped',
  forceDelete: 'ForceDeletion',
  extendDrain: 'DrainExtended',
  skipVolumeWait: 'VolumeWaitSkipped',
};

export async function act(place: Place, asked: ActQuestion): Promise<Answer> {
  const { kube, namespace } = place;
  const { name, command } = asked;
  const machine = await readMachine(place, name);
  const refusal = refusalOf(machine, command);
  if (refusal !== undefined) throw new Error(refusal);
  await requireRight(kube, rightOnMachines('patch', 'machines', namespace));
  const sight = await inTarget(place, asked, (target) => readSight(target, machine));
  const outlook = outlookOf(sight, command);
  return await onceAgreed(asked, outlook, async () => {
    const { uid, generation } = machine.metadata;
    const wanted = {
      command: defined({ ...command, ifGeneration: generation }),
      done: doneReasons[command.verb],
    };
    const outcome = await writeCommand(place, { name, uid }, wanted);
    const isDone = outcome.state === 'done' || outcome.state === 'unknown';
    const data = { ...outlook.data, namespace, isDone, outcome };
    const text = `${outlook.text}\n${wordsOf(outcome, { namespace, name })}`;
    return { text, data, exitCode: isDone ? 0 : 1 };
  });
}

function wordsOf(
  { state, words, written }: Outcome,
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
