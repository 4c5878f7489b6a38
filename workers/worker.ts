/** The worker. */
import { start } from './process/process.ts';
import { runWorker } from './run-worker.ts';
import { workerHost } from './worker-outside.ts';

await start('worker', (process) => runWorker(process, workerHost));
