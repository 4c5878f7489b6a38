/** A server that resets runs, which the one that skips time cannot. Its time passes as usual. */
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { preparedBinary } from '../../deploy/local/binaries/acquire.ts';
import { withSearchAttributes } from './temporal.ts';

export async function startResettingServer(): Promise<TestWorkflowEnvironment> {
  const path = await preparedBinary('temporal');
  const server = { executable: { type: 'existing-path', path } } as const;
  return await withSearchAttributes(await TestWorkflowEnvironment.createLocal({ server }));
}
