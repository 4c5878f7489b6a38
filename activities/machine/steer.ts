/** What somebody asked for through Temporal becomes the object's, so that `kubectl` shows the same truth. */
import { ApplicationFailure } from '@temporalio/common';
import type { MachineCommand, MachineSteerInput } from '../../workflows/activities.ts';
import { drainOptions, labels } from '../../workflows/api/constants.ts';
import { refused } from '../failures.ts';
import type { KubeClient } from '../kube/client.ts';
import { isRefusal } from '../kube/errors.ts';
import { recordEvent } from '../kube/events.ts';
import { component, machineSubject, patchMachine, timestamp } from './object.ts';

export async function steerMachine(
  control: KubeClient,
  { machine, command, until }: MachineSteerInput,
): Promise<string> {
  const { reason, words, metadata } = changeOf(command, until);
  if (metadata) {
    const patched = await patchMachine(control, machine, { metadata }).catch((error: unknown) => {
      throw isRefusal(error) ? refused(error) : error;
    });
    if (!patched) throw ApplicationFailure.nonRetryable('the Machine is gone', 'Refused');
  }
  const who = command.by === undefined ? '' : ` by "${command.by}"`;
  const message = `${words}, asked for through Temporal${who}`;
  await recordEvent(control, machineSubject(machine), {
    type: 'Normal',
    reason,
    message,
    component,
  });
  return words;
}

interface Change {
  reason: string;
  words: string;
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
}

function changeOf({ verb }: MachineCommand, until: number | undefined): Change {
  switch (verb) {
    case 'retryNow':
      return { reason: 'RetryNow', words: 'Tried again at once' };
    case 'forceDelete': {
      const metadata = { labels: { [labels.forceDeletion]: 'True' } };
      return { reason: 'ForceDeletion', words: 'Deletion by force', metadata };
    }
    case 'skipDrain': {
      const metadata = { annotations: { [drainOptions.skip]: 'true' } };
      return { reason: 'DrainSkipped', words: 'Drain skipped', metadata };
    }
    case 'skipVolumeWait': {
      const metadata = { annotations: { [drainOptions.skipVolumeWait]: 'true' } };
      return { reason: 'VolumeWaitSkipped', words: 'Volumes are not waited for', metadata };
    }
    case 'extendDrain': {
      const end = timestamp(until);
      const metadata = { annotations: { [drainOptions.until]: end } };
      return { reason: 'DrainExtended', words: `Drain extended until ${end}`, metadata };
    }
  }
}
