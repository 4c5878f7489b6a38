/** The watcher. */
import { host } from './outside.ts';
import { start } from './process/process.ts';
import { runWatcher } from './run-watcher.ts';

await start('watcher', (process) => runWatcher(process, host));
