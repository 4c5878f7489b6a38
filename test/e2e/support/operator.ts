/** Watchers and workers of a scenario's own, kept running as the local stack does. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { quickRecovery } from '../../../deploy/local/components/operator.ts';
import { repository, type User } from '../../../deploy/local/layout.ts';
import { logFolderOf, type TestStack } from './test-stack.ts';

/** `standby` is a second watcher, which waits for the Lease. */
const watchers = ['watcher', 'standby'] as const;
const doubles = ['standby', 'second-worker'] as const;
export type Program =
  | (typeof watchers)[number]
  | (typeof doubles)[number]
  | 'worker'
  | `worker-${string}`
  | 'front'
  | 'second-front';

export interface WorkerProgram {
  name: Program;
  /** Beside those that every worker of the scenario has. */
  flags?: readonly string[];
  /** Default `millwright-worker`. */
  user?: User;
  /** `startAgain` starts it the first time. */
  isLater?: boolean;
}

export interface OperatorOptions {
  namespace: string;
  /** Flags for what it serves, asked at each start. Default `--namespace`, that of its logs. */
  serves?: (() => readonly string[]) | undefined;
  /** Whether there are two of each, as in production. What is killed or counted is alone. */
  isDoubled: boolean;
  /** The watcher is in the worker, as the chart has it. Default false. */
  isInOne?: boolean | undefined;
  /**
   * `none`: there is no target cluster; `secret`: `serves` says where each namespace finds its own.
   * Default the cluster of the stack.
   */
  target?: 'none' | 'secret' | undefined;
  workerFlags?: readonly string[] | undefined;
  /** Default one, called `worker`. */
  workers?: readonly WorkerProgram[] | undefined;
  watcherFlags?: readonly string[] | undefined;
  /** Where both find Temporal, asked at each start; default the stack's own. */
  temporalAddress?: (() => string) | undefined;
  /** There is a front as well, with these. */
  frontFlags?: readonly string[] | undefined;
  /** Of all processes, beside those that every one has. */
  flags?: readonly string[] | undefined;
  /** Where the worker finds its servers, asked at each start; default the stack's own. */
  workerAccess?: (() => Access) | undefined;
  watcherAccess?: (() => Access) | undefined;
  /** Default the sources on the Node that runs the tests. */
  launch?: Launch | undefined;
  /** Of each process, where neither of both is given. */
  accessOf?: ((program: Program) => Access) | undefined;
  /** Variables of both, asked at each start. */
  env?: (() => Record<string, string>) | undefined;
  /** Variables of the worker beside those, asked at each start: where its clouds are. */
  workerEnv?: (() => Record<string, string>) | undefined;
}

export type Role = 'watcher' | 'worker';

/** Starts what was built of the sources, which has its own bundle of the workflows. */
export type Launch = (process: {
  program: Program;
  role: Role;
  flags: readonly string[];
  env: Readonly<Record<string, string>>;
  /** A file that is open, for its output. */
  log: number;
}) => ChildProcess;

export interface Access {
  kubeconfig: string;
  /** Default the same. */
  targetKubeconfig?: string;
  /** Address of the virtual cloud. */
  virtualCloud: string;
}

const restartMilliseconds = 200;
/** An orderly end waits for what is under way. */
const endWithinMilliseconds = 600_000;

export class Operator {
  readonly #stack: TestStack;
  readonly #options: OperatorOptions;
  readonly #running = new Map<Program, ChildProcess>();
  readonly #retired = new Set<Program>();
  readonly #starts = new Map<Program, number>();
  /** Those that the test killed. */
  readonly #killed = new WeakSet<ChildProcess>();
  readonly #faults: string[] = [];
  #isStopping = false;

  constructor(stack: TestStack, options: OperatorOptions) {
    this.#stack = stack;
    this.#options = options;
  }

  /** Also what was retired. */
  start(): void {
    this.#retired.clear();
    if (!this.#options.isInOne) this.#spawn('watcher');
    for (const { name, isLater } of this.#workers) if (!isLater) this.#spawn(name);
    if (this.#options.frontFlags) this.#spawn('front');
    if (this.#options.isDoubled) for (const program of doubles) this.#spawn(program);
  }

  /** Kills it at once, wherever it is; it starts again by itself. Resolves when it is dead. */
  async kill9(program: Program): Promise<void> {
    this.#requireAlone();
    const child = this.#running.get(program);
    if (child === undefined) return;
    const ended = once(child, 'exit');
    this.#killed.add(child);
    child.kill('SIGKILL');
    await ended;
  }

  /** Processes that ended unasked, or not in order when they were asked to. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  /** How often it was started: once more than it died. */
  startsOf(program: Program): number {
    this.#requireAlone();
    return this.#starts.get(program) ?? 0;
  }

  startStandby(): void {
    this.#requireAlone();
    this.#spawn('standby');
  }

  /** Ends it in good order and does not start it again. */
  async retire(program: Program): Promise<void> {
    this.#requireAlone();
    const child = this.#running.get(program);
    if (child === undefined) return;
    this.#retired.add(program);
    await this.#end(program, child);
  }

  /** One that was retired. */
  startAgain(program: Program): void {
    this.#retired.delete(program);
    this.#spawn(program);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const running = [...this.#running].map(([program, child]) => this.#end(program, child));
    await Promise.all(running);
  }

  get #workers(): readonly WorkerProgram[] {
    return this.#options.workers ?? [{ name: 'worker' }];
  }

  get logs(): string {
    return logFolderOf(this.#stack, this.#options.namespace);
  }

  /** The other one would take over, and the test would not see what it is about. */
  #requireAlone(): void {
    if (this.#options.isDoubled)
      throw new Error('the scenario has to be made with isDoubled: false');
  }

  #spawn(program: Program): void {
    const { temporalAddress, layout } = this.#stack;
    const { kubeconfig, virtualCloud } = this.#accessOf(program);
    const log = openSync(join(this.logs, `${program}.log`), 'a');
    const role = roleOf(program);
    const env = {
      TEMPORAL_ADDRESS: this.#options.temporalAddress?.() ?? temporalAddress,
      MILLWRIGHT_VIRTUAL_CLOUD: virtualCloud,
      MILLWRIGHT_VIRTUAL_CLOUD_AS_LOCAL: 'true',
      KUBECONFIG: kubeconfig,
      ...this.#options.env?.(),
      ...(role === 'worker' && this.#options.workerEnv?.()),
    };
    const { launch = sourcesWith(layout.compileCache) } = this.#options;
    const child = launch({ program, role, flags: this.#flags(program), env, log });
    closeSync(log);
    this.#running.set(program, child);
    this.#starts.set(program, (this.#starts.get(program) ?? 0) + 1);
    child.once('exit', (code, signal) => {
      const isWanted = this.#isStopping || this.#retired.has(program) || this.#killed.has(child);
      if (!isWanted) this.#note(program, `ended by itself with ${code ?? signal}`);
      void this.#restart(program);
    });
  }

  #workerNamed(program: Program): WorkerProgram {
    return this.#workers.find(({ name }) => name === program) ?? { name: program };
  }

  /** The users' own kubeconfigs: what deploy/manifests does not grant fails here. */
  #accessOf(program: Program): Access {
    const { layout, virtualCloud } = this.#stack;
    const { workerAccess, watcherAccess, accessOf } = this.#options;
    const entrance = entranceOf(program);
    const isWorker = entrance === 'worker';
    const whole = this.#options.isInOne ? 'millwright-controller' : 'millwright-worker';
    const { user = whole } = this.#workerNamed(program);
    const kubeconfig = layout.kubeconfigOf(isWorker ? user : `millwright-${entrance}`);
    const own = (isWorker ? workerAccess : watcherAccess) ?? accessOf;
    return own?.(program) ?? { kubeconfig, virtualCloud };
  }

  #flags(program: Program): string[] {
    const { flags = [], workerFlags = [], watcherFlags = [], frontFlags = [] } = this.#options;
    const { launch, isInOne } = this.#options;
    const { layout } = this.#stack;
    const { flags: ownFlags = [] } = this.#workerNamed(program);
    const inOne = isInOne ? ['--with-watcher', ...watcherFlags] : [];
    const bundle = launch ? [] : [`--workflow-bundle=${layout.workflowBundle}`];
    const ofEntrance: Readonly<Record<Role | 'front', readonly string[]>> = {
      watcher: watcherFlags,
      worker: [...bundle, ...sandboxOf(program), ...inOne, ...workerFlags, ...ownFlags],
      front: [...bundle, ...frontFlags],
    };
    return [
      ...this.#placeFlags(program),
      ...quickRecovery,
      '--port=0',
      '--log-format=json',
      `--leader-elect-identity=${program}`,
      ...flags,
      ...ofEntrance[entranceOf(program)],
    ];
  }

  /** In which clusters it works, and for which namespaces. */
  #placeFlags(program: Program): string[] {
    const { namespace, target, serves } = this.#options;
    const { kubeconfig, targetKubeconfig = kubeconfig } = this.#accessOf(program);
    return [
      `--control-kubeconfig=${kubeconfig}`,
      ...(target === 'secret' ? [] : [`--target-kubeconfig=${target ?? targetKubeconfig}`]),
      ...(serves?.() ?? [`--namespace=${namespace}`]),
    ];
  }

  /**
   * Asks it to end in order. One that had only just started and hears no signals yet is ended by
   * the system.
   */
  async #end(program: Program, child: ChildProcess): Promise<void> {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => {
      this.#note(program, `did not end within ${endWithinMilliseconds} ms of SIGTERM`);
      child.kill('SIGKILL');
    }, endWithinMilliseconds);
    await ended;
    clearTimeout(timer);
    const { exitCode, signalCode } = child;
    const isOrderly = exitCode === 0 || signalCode !== null;
    if (!isOrderly) this.#note(program, `ended with ${exitCode} when it was asked to end`);
  }

  #note(program: Program, what: string): void {
    this.#faults.push(`${program}: ${what}; its log: ${join(this.logs, `${program}.log`)}`);
  }

  async #restart(program: Program): Promise<void> {
    this.#running.delete(program);
    await delay(restartMilliseconds);
    const isStartedAgain = this.#running.has(program);
    if (!this.#isStopping && !this.#retired.has(program) && !isStartedAgain) this.#spawn(program);
  }
}

/** @param tree The repository, or a worktree of another revision of it. */
export function sourcesWith(compileCache: string, tree = repository): Launch {
  const parentWatch = pathToFileURL(join(repository, 'deploy/local/parent-watch.mjs')).href;
  return ({ program, flags, env, log }) =>
    spawn(
      process.execPath,
      [`--import=${parentWatch}`, join(tree, 'workers', `${entranceOf(program)}.ts`), ...flags],
      {
        stdio: ['ignore', log, log],
        env: {
          ...process.env,
          // It must not outlive a killed test run.
          MILLWRIGHT_WATCH_PARENT: String(process.pid),
          ...env,
          NODE_OPTIONS: '',
          NODE_COMPILE_CACHE: compileCache,
        },
      },
    );
}

function entranceOf(program: Program): Role | 'front' {
  return program === 'front' || program === 'second-front' ? 'front' : roleOf(program);
}

function roleOf(program: Program): Role {
  return watchers.some((watcher) => watcher === program) ? 'watcher' : 'worker';
}

/** A workflow that moves between both kinds of sandbox does the same in either. */
function sandboxOf(program: Program): string[] {
  return program === 'second-worker' ? ['--workflow-sandbox=sdk'] : [];
}
