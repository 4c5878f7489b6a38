/** A workflow with two lines for the log. It does not end. */
import { condition, log } from '@temporalio/workflow';

export async function machine(): Promise<void> {
  log.info('one');
  log.info('two');
  await condition(() => false);
}
