/** One process of `light-runner.ts`, which runs one test file after another. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from '../../deploy/local/layout.ts';

// Where Jest was killed, the rest of its files are of no use.
process.once('disconnect', () => process.exit(1));

interface LightWorker {
  default: (path: string) => Promise<unknown>;
  setWorkerData: (data: object) => void;
}

// By its path: the package exports its own processes only.
const file = join(repository, 'node_modules/jest-light-runner/src/worker-runner.js');
const light: Promise<LightWorker> = import(pathToFileURL(file).href);

/** jest-worker calls it before the first file. */
export async function setup(configs: { globalConfig: object; projectConfig: object }) {
  (await light).setWorkerData({ ...configs, runtime: 'child_process' });
}

export async function run(path: string): Promise<unknown> {
  return await (await light).default(path);
}
