/** A workflow of another version: nothing that ours does is in its history. */
import { sleep } from '@temporalio/workflow';

export async function machineSet(): Promise<void> {
  await sleep('1 hour');
  await sleep('1 hour');
}
