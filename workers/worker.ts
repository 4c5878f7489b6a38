/** The worker. */
import { host } from './outside.ts';
import { start } from './process/process.ts';
import { runWorker } from './run-worker.ts';

await start('worker', (process) => runWorker(process, host));
