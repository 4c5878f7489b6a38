/** The stand-in for the agents on Nodes, as a process that a test can kill. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { updateAgentCommand } from '../../deploy/local/components/update-agent.ts';
import { repository, type Layout } from '../../deploy/local/layout.ts';

export interface UpdateAgentOptions {
  layout: Layout;
  /** Pattern of the names of its Nodes: others may be those of another test. */
  nodes: string;
  /** File that its log is added to. */
  log: string;
}

const parentWatch = pathToFileURL(join(repository, 'deploy/local/parent-watch.mjs')).href;

export class UpdateAgent {
  readonly #options: UpdateAgentOptions;
  #process: ChildProcess | undefined;

  /** It does not run yet. */
  constructor(options: UpdateAgentOptions) {
    this.#options = options;
  }

  /** Also after it was killed. */
  start(): void {
    const { layout, nodes, log } = this.#options;
    const { file, args } = updateAgentCommand(layout.kubeconfigOf('update-agent'));
    const output = openSync(log, 'a');
    this.#process = spawn(file, [`--import=${parentWatch}`, ...args, `--nodes=${nodes}`], {
      stdio: ['ignore', output, output],
      env: {
        ...process.env,
        MILLWRIGHT_WATCH_PARENT: String(process.pid),
        NODE_OPTIONS: '',
        NODE_COMPILE_CACHE: layout.compileCache,
      },
    });
    closeSync(output);
  }

  /** Resolves when it is dead. */
  async kill9(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
