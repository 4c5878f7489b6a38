/** One watcher and one worker of a scenario's own, kept running as the local stack does. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { repository } from '../../../deploy/local/layout.ts';
import { logFolderOf, type TestStack } from './test-stack.ts';

const programs = ['watcher', 'worker'] as const;
/** `standby` is a second watcher, which waits for the Lease. */
export type Program = (typeof programs)[number] | 'standby';

export interface OperatorOptions {
  namespace: string;
  /** `none`: there is no target cluster. Default the cluster of the stack. */
  target?: 'none' | undefined;
  workerFlags?: readonly string[] | undefined;
  /** Where the worker finds its servers, asked at each start; default the stack's own. */
  workerAccess?: (() => Access) | undefined;
  watcherAccess?: (() => Access) | undefined;
  /** Variables of the worker beside those, asked at each start: where its clouds are. */
  workerEnv?: (() => Record<string, string>) | undefined;
}

export interface Access {
  kubeconfig: string;
  /** Default the same. */
  targetKubeconfig?: string;
  /** Address of the virtual cloud. */
  virtualCloud: string;
}

const restartMilliseconds = 200;
/** An orderly end waits for what is under way. */
const endWithinMilliseconds = 25_000;

export class Operator {
  readonly #stack: TestStack;
  readonly #options: OperatorOptions;
  readonly #running = new Map<Program, ChildProcess>();
  readonly #retired = new Set<Program>();
  readonly #starts = new Map<Program, number>();
  #isStopping = false;

  constructor(stack: TestStack, options: OperatorOptions) {
    this.#stack = stack;
    this.#options = options;
  }

  /** Also what was retired. */
  start(): void {
    this.#retired.clear();
    for (const program of programs) this.#spawn(program);
  }

  /** Kills it at once, wherever it is; it starts again by itself. Resolves when it is dead. */
  async kill9(program: Program): Promise<void> {
    const child = this.#running.get(program);
    if (child === undefined) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** How often it was started: once more than it died. */
  startsOf(program: Program): number {
    return this.#starts.get(program) ?? 0;
  }

  startStandby(): void {
    this.#spawn('standby');
  }

  /** Ends it in good order and does not start it again. */
  async retire(program: Program): Promise<void> {
    const child = this.#running.get(program);
    if (child === undefined) return;
    this.#retired.add(program);
    await end(child);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#running.values()].map(end));
  }

  get logs(): string {
    return logFolderOf(this.#stack, this.#options.namespace);
  }

  #spawn(program: Program): void {
    const { temporalAddress, layout } = this.#stack;
    const { kubeconfig, virtualCloud } = this.#accessOf(program);
    const log = openSync(join(this.logs, `${program}.log`), 'a');
    const parentWatch = pathToFileURL(join(repository, 'deploy/local/parent-watch.mjs')).href;
    const role = program === 'worker' ? 'worker' : 'watcher';
    const entrance = join(repository, 'workers', `${role}.ts`);
    const child = spawn(
      process.execPath,
      [`--import=${parentWatch}`, entrance, ...this.#flags(program)],
      {
        stdio: ['ignore', log, log],
        env: {
          ...process.env,
          // It must not outlive a killed test run.
          MILLWRIGHT_WATCH_PARENT: String(process.pid),
          TEMPORAL_ADDRESS: temporalAddress,
          MILLWRIGHT_VIRTUAL_CLOUD: virtualCloud,
          KUBECONFIG: kubeconfig,
          ...(role === 'worker' && this.#options.workerEnv?.()),
          NODE_OPTIONS: '',
          NODE_COMPILE_CACHE: layout.compileCache,
        },
      },
    );
    closeSync(log);
    this.#running.set(program, child);
    this.#starts.set(program, this.startsOf(program) + 1);
    child.once('exit', () => void this.#restart(program));
  }

  /** The users' own kubeconfigs: what deploy/rbac.yaml does not grant fails here. */
  #accessOf(program: Program): Access {
    const { layout, virtualCloud } = this.#stack;
    const { workerAccess, watcherAccess } = this.#options;
    const isWorker = program === 'worker';
    const kubeconfig = layout.kubeconfigOf(isWorker ? 'millwright-worker' : 'millwright-watcher');
    return (isWorker ? workerAccess : watcherAccess)?.() ?? { kubeconfig, virtualCloud };
  }

  #flags(program: Program): string[] {
    const { namespace, target, workerFlags = [] } = this.#options;
    const { layout } = this.#stack;
    const { kubeconfig, targetKubeconfig = kubeconfig } = this.#accessOf(program);
    return [
      `--control-kubeconfig=${kubeconfig}`,
      `--target-kubeconfig=${target ?? targetKubeconfig}`,
      `--namespace=${namespace}`,
      `--task-queue=millwright-${namespace}`,
      '--port=0',
      '--log-format=json',
      `--leader-elect-identity=${program}`,
      ...(program === 'worker'
        ? [`--workflow-bundle=${layout.workflowBundle}`, ...workerFlags]
        : []),
    ];
  }

  async #restart(program: Program): Promise<void> {
    this.#running.delete(program);
    await delay(restartMilliseconds);
    if (!this.#isStopping && !this.#retired.has(program)) this.#spawn(program);
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), endWithinMilliseconds);
  await ended;
  clearTimeout(timer);
}
