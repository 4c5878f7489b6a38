/** What is left of a machine's workflow when nothing is decided in it. */
import {
  condition,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';
import type { BareActivities, BareMachine } from './activities.ts';

export const ready = defineSignal('ready');
export const deleted = defineSignal('deleted');

const { create, remove } = proxyActivities<BareActivities>({ startToCloseTimeout: '1m' });
const { join, beginDeletion } = proxyLocalActivities<BareActivities>({
  startToCloseTimeout: '10s',
});

export async function bareMachine(machine: BareMachine): Promise<void> {
  let isReady = false;
  let isDeleted = false;
  setHandler(ready, () => void (isReady = true));
  setHandler(deleted, () => void (isDeleted = true));
  const instance = await create(machine);
  await condition(() => isReady);
  await join(machine);
  await condition(() => isDeleted);
  await beginDeletion(machine);
  await remove(machine, instance);
}
