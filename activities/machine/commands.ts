/** Writes commands that came through Temporal to the object, so that `kubectl` shows them. */
import { ApplicationFailure } from '@temporalio/common';
import type {
  AppliedCommand,
  MachineCommandInput,
} from '../../workflows/contracts/machine-activities.ts';
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { machineCommandEffects } from '../../workflows/api/command-verbs.ts';
import { drainOptions } from '../../workflows/api/constants.ts';
import type { MachineCommand } from '../../workflows/contracts/commands.ts';
import type { Pause } from '../../workflows/values/pauses.ts';
import { deadlineOf, pausesOfDrain } from '../../workflows/values/pauses.ts';
import { defined } from '../../workflows/values/defined.ts';
import { audited } from '../runtime/audit.ts';
import { refused } from '../runtime/failures.ts';
import { requireNew } from '../runtime/command-origin.ts';
import type { RequestedCommand } from '../runtime/written-commands.ts';
import {
  isCommandRefusal,
  refusing,
  requireAllowed,
  takingBack,
} from '../runtime/written-commands.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isRefusal } from '../../kube/client/errors.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { giveUp } from './in-place/failed.ts';
import { retryUpdate } from './in-place/retry.ts';
import { component, machineSubject, patchMachine } from './object.ts';
import { timestamp } from '../../kube/objects/time.ts';

type CommandDependencies = Pick<
  ActivityDependencies,
  'control' | 'target' | 'targetCluster' | 'pauses' | 'commandsBy' | 'audit'
> & {
  /** Throws a `commandRefusal` where its rollout may not have the Node selected now. */
  selectForUpdate(machine: ObjectReference): Promise<void>;
};

export async function applyMachineCommand(
  dependencies: CommandDependencies,
  input: MachineCommandInput,
): Promise<AppliedCommand> {
  const { control, pauses, commandsBy } = dependencies;
  const { machine, command, written, heardAt, now } = input;
  const object = { ...machine, kind: 'Machine' } as const;
  const asked = { object, command, written };
  requireAllowed(commandsBy, asked);
  const origin = await requireNew(control, { ...asked, heardAt, now });
  const taken = await takingBack(control, asked);
  if (taken === 'stale') return { words: 'done before', isStale: true };
  if (command.verb === 'selectForUpdate') await selectNode(dependencies, asked);
  const { reason, words, metadata } = effectOf(input, pauses());
  const change = merged(metadata, taken);
  const message = `${words}, ${audited(dependencies.audit, { ...asked, ...origin })}`;
  // Before the annotation goes that asks for it.
  await steerUpdate(dependencies, input, message);
  const resourceVersion = change && (await write(control, machine, change));
  recordEvent(control, machineSubject(machine), {
    type: 'Normal',
    reason,
    message,
    component,
  });
  return defined({ words, resourceVersion });
}

async function steerUpdate(
  dependencies: CommandDependencies,
  { machine, command, instance }: MachineCommandInput,
  message: string,
): Promise<void> {
  try {
    if (command.verb === 'retryUpdate') await retryUpdate(dependencies, { machine, instance });
    if (command.verb === 'giveUpUpdate') await giveUp(dependencies, machine, message);
  } catch (error) {
    throw isRefusal(error) ? refused(error) : error;
  }
}

/** A signal has no answer: the refusal is an Event. */
async function selectNode(
  { control, selectForUpdate }: CommandDependencies,
  asked: RequestedCommand,
): Promise<void> {
  try {
    await selectForUpdate(asked.object);
  } catch (error) {
    throw isCommandRefusal(error) ? refusing(control, asked, error.message) : error;
  }
}

type Metadata = Effect['metadata'];

/** Undefined where nothing is to be written. */
function merged(
  metadata: Metadata,
  {
    resourceVersion,
    annotations: removed,
  }: { resourceVersion?: string | undefined; annotations?: object },
): object | undefined {
  if (!removed) return metadata && defined({ ...metadata, resourceVersion });
  return defined({
    ...metadata,
    annotations: { ...metadata?.annotations, ...removed },
    resourceVersion,
  });
}

/** Returns the version that the Machine has then. */
async function write(
  control: KubeClient,
  machine: ObjectReference,
  metadata: object,
): Promise<string | undefined> {
  const patched = await patchMachine(control, machine, { metadata }).catch((error: unknown) => {
    throw isRefusal(error) ? refused(error) : error;
  });
  if (!patched) throw ApplicationFailure.nonRetryable('the Machine is gone', 'Refused');
  return patched.metadata.resourceVersion;
}

type Effect = (typeof machineCommandEffects)[MachineCommand['verb']];

function effectOf({ command, until, countsFrom }: MachineCommandInput, pauses: Pause[]): Effect {
  const effect = machineCommandEffects[command.verb];
  if (command.verb !== 'extendDrain') return effect;
  const metadata = { annotations: { [drainOptions.until]: timestamp(until) } };
  const end = timestamp(movedEnd(until, countsFrom, pauses));
  return { ...effect, words: `${effect.words} until ${end}`, metadata };
}

/** When the drain will end, with the pauses so far. */
function movedEnd(
  until: number | undefined,
  from: number | undefined,
  pauses: Pause[],
): number | undefined {
  if (until === undefined || from === undefined) return until;
  return deadlineOf({ from, timeoutMs: until - from }, pausesOfDrain(pauses));
}
