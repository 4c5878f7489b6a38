/** A worker, a watcher or both in one, of an install: started, killed, and started again. */
import { Registry } from 'prom-client';
import type { Config } from '../../../workers/config/config.ts';
import { readCommandLine } from '../../../workers/config/config.ts';
import type { Logger } from '../../../workers/log/logger.ts';
import { createLogger } from '../../../workers/log/logger.ts';
import { reasonOf } from '../../../workers/log/reason.ts';
import type { Process } from '../../../workers/process/process.ts';
import type { ShutdownHost } from '../../../workers/process/shutdown.ts';
import { createShutdown } from '../../../workers/process/shutdown.ts';
import { runWatcher } from '../../../workers/run-watcher.ts';
import { runWorker } from '../../../workers/run-worker.ts';
import { SimulatedProcess } from '../engine/process.ts';
import type { Replica } from '../world/world.ts';
import { createOutside } from './outside.ts';
import type { OutsideParts } from './outside.ts';

export interface ReplicaOptions extends Omit<OutsideParts, 'process'> {
  component: Replica['component'];
  name: string;
  /** As on a command line. */
  flags: readonly string[];
  /** Paths of kubeconfigs, as in `clusters`; a target may be `none`. */
  control: string;
  target: string;
  workflowBundle: string;
  onLog?: ((process: string, line: string) => void) | undefined;
  /** How far its clock is ahead of the true one, milliseconds. */
  skewMs: number;
}

/** As Kubernetes does it: soon, and ever later for one that does not stay. */
const firstRestartMs = 1_000;
const longestRestartMs = 60_000;
/** One that has run for so long is restarted soon again. */
const stableMs = 600_000;

export class SimulatedReplica implements Replica {
  readonly component: Replica['component'];
  readonly name: string;
  readonly #options: ReplicaOptions;
  #process: SimulatedProcess | undefined;
  #terminate: () => void = () => undefined;
  #restarts = 0;

  constructor(options: ReplicaOptions) {
    this.component = options.component;
    this.name = options.name;
    this.#options = options;
  }

  get process(): SimulatedProcess | undefined {
    return this.#process;
  }

  start(): void {
    const { simulation, name, skewMs } = this.#options;
    const process = new SimulatedProcess(simulation, { name, skewMs });
    this.#process = process;
    const startedAt = simulation.now;
    process.note('starts');
    process.onEnd(() => {
      this.#process = undefined;
      if (simulation.now - startedAt > stableMs) this.#restarts = 0;
      const waitMs = Math.min(longestRestartMs, firstRestartMs * 2 ** this.#restarts);
      this.#restarts += 1;
      simulation.after(waitMs, () => this.start());
    });
    void process.run(() => this.#main(process));
  }

  kill(): void {
    this.#process?.kill();
  }

  restart(): void {
    this.#process?.note('is asked to end');
    this.#terminate();
  }

  async #main(process: SimulatedProcess): Promise<void> {
    const config = configOf(this.#options);
    const log = loggerOf(process, this.#options);
    const host: ShutdownHost = {
      on: (event, listener) => {
        if (event === 'SIGTERM') this.#terminate = () => process.run(() => listener(event));
      },
      exit: (code) => {
        if (!process.isAlive) return;
        process.note(`ends with ${code}`);
        process.end();
      },
    };
    const clock = (): number => process.system.monotonic();
    const { shutdownGraceSeconds: graceSeconds } = config;
    const shutdown = createShutdown({ log, graceSeconds, host, clock });
    const parts: Process = { config, log, shutdown, certificates: () => [], openHttp: openNothing };
    const run = this.component === 'watcher' ? runWatcher : runWorker;
    try {
      await run(parts, createOutside({ ...this.#options, process }));
    } catch (error) {
      if (shutdown.signal.aborted) return;
      process.note(`cannot start: ${reasonOf(error)}`);
      shutdown.begin('cannot start', 1);
    }
  }
}

function configOf(options: ReplicaOptions): Config {
  const { name, flags, control, target, workflowBundle } = options;
  const isInOne = options.component === 'controller';
  const component = options.component === 'watcher' ? 'watcher' : 'worker';
  const own = [`--leader-elect-identity=${name}`, ...(isInOne ? ['--with-watcher'] : [])];
  const argv = [...flags, ...own];
  const command = readCommandLine({ component, argv, env: {} });
  if (command.kind !== 'run') throw new Error(`the flags of ${name} start nothing`);
  return {
    ...command.config,
    control: { kind: 'file', path: control },
    target: target === 'none' ? 'none' : { kind: 'file', path: target },
    workflowBundle,
  };
}

/** What it logs as a warning or worse is part of the timeline. */
function loggerOf(
  process: SimulatedProcess,
  { component, name, onLog }: Pick<ReplicaOptions, 'component' | 'name' | 'onLog'>,
): Logger {
  const write = (line: string): void => {
    process.note(`logs ${textOf(line)}`);
    onLog?.(name, line);
  };
  return createLogger({ component, level: 'warn', format: 'json', output: { write } });
}

/** It names lines of the program that called the simulation: a seed would not be all of a run. */
function withoutStack(key: string, value: unknown): unknown {
  return key === 'stack' ? undefined : value;
}

function textOf(line: string): string {
  const {
    msg,
    time: _time,
    level: _level,
    component: _component,
    ...rest
  } = JSON.parse(line, withoutStack);
  return `${msg} ${JSON.stringify(rest)}`;
}

const text = async (): Promise<string> => '';

async function openNothing() {
  const registry = new Registry();
  return { registry, contentType: registry.contentType, text };
}
