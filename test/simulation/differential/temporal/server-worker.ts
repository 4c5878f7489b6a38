/**
 * A worker that can be killed: `server-worker.ts ADDRESS TASK_QUEUE BUNDLE`. It says to its parent
 * what its activities do.
 */
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { failingErrors } from '../../../../workers/temporal/bundle-workflows.ts';
import { createActivities } from './activities.ts';
import { workerOptions } from './worker-options.ts';

const [address, taskQueue, codePath] = process.argv.slice(2);
if (address === undefined || taskQueue === undefined || codePath === undefined) {
  throw new Error('Usage: server-worker.ts ADDRESS TASK_QUEUE BUNDLE');
}
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: 'OFF', forward: {} } },
});
// Its parent is gone: nobody is left to end it.
process.once('disconnect', () => process.exit());
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  ...workerOptions,
  taskQueue,
  workflowBundle: { codePath },
  workflowFailureErrorTypes: failingErrors,
  activities: createActivities((note) => process.send?.(note)),
});
process.send?.('ready');
await worker.run();
