import type { Component, Job } from '../components/component.ts';
import type { Layout } from '../layout.ts';
import { lackOfRoom, stateOf } from '../room.ts';
import { identityOf } from './identity.ts';
import type { SupervisorMessage } from './messages.ts';
import { writeStackFile, type Stack } from './stack-file.ts';
import { Supervised } from './supervised.ts';
import { messageOf } from '../failure.ts';

export interface RunnerWorld {
  layout: Layout;
  components: readonly Component[];
  jobs: readonly Job[];
  /** Content of stack.json before anything runs. */
  stack: Stack;
  send: (message: SupervisorMessage) => void;
  /** A component is beyond saving. */
  giveUp: (error: Error) => void;
}

/** How long a component may take to end by itself. */
const graceMs = 8_000;

/**
 * Starts components and jobs in the order of their needs, keeps stack.json true, and stops in
 * reverse.
 */
export class StackRunner {
  readonly #world: RunnerWorld;
  readonly #supervised = new Map<string, Supervised>();
  readonly #jobs = new Map<string, Promise<void>>();
  readonly #stack: Stack;

  constructor(world: RunnerWorld) {
    this.#world = world;
    this.#stack = structuredClone(world.stack);
    for (const component of world.components) {
      this.#supervised.set(component.name, new Supervised(component, this.#watch(component)));
    }
    writeStackFile(world.layout, this.#stack);
  }

  /**
   * Resolves with the running stack when everything is ready; rejects at the first thing that
   * fails.
   */
  async start(): Promise<Stack> {
    for (const job of this.#world.jobs) this.#jobs.set(job.name, this.#runJob(job));
    for (const supervised of this.#supervised.values()) supervised.start();
    await Promise.all(
      [...this.#supervised.keys(), ...this.#jobs.keys()].map((n) => this.#until(n)),
    );
    this.#stack.state = 'running';
    writeStackFile(this.#world.layout, this.#stack);
    return this.#stack;
  }

  /** Stops each component once all that need it have ended: the operator first, etcd last. */
  async stop(): Promise<void> {
    this.#stack.state = 'stopping';
    writeStackFile(this.#world.layout, this.#stack);
    const stopped = new Map<string, Promise<void>>();
    const stop = (name: string): Promise<void> => {
      const known = stopped.get(name);
      if (known !== undefined) return known;
      const dependents = this.#world.components.filter((other) => this.#needs(other, name));
      const ending = Promise.all(dependents.map((other) => stop(other.name))).then(() =>
        this.#supervised.get(name)?.stop(graceMs),
      );
      stopped.set(name, ending);
      return ending;
    };
    await Promise.all(this.#world.components.map(({ name }) => stop(name)));
  }

  /** Directly, or through jobs in between. */
  #needs({ needs }: { needs: readonly string[] }, name: string): boolean {
    return needs.some((need) => {
      const job = this.#world.jobs.find((candidate) => candidate.name === need);
      return need === name || (job !== undefined && this.#needs(job, name));
    });
  }

  async #runJob(job: Job): Promise<void> {
    const { send } = this.#world;
    await this.#untilAll(job.needs);
    try {
      send({ type: 'stepDone', step: job.name, text: await job.run() });
    } catch (error) {
      const text = messageOf(error);
      send({ type: 'stepFailed', step: job.name, text });
      throw new Error(`${job.name} failed: ${text}`, { cause: error });
    }
  }

  async #untilAll(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.#until(name)));
  }

  /** A name that the stack does not have (an operator that is left out) is ready. */
  async #until(name: string): Promise<void> {
    await (this.#jobs.get(name) ?? this.#supervised.get(name)?.untilReady());
  }

  #watch(component: Component): ConstructorParameters<typeof Supervised>[1] {
    const { layout, send, giveUp } = this.#world;
    const { name, address = '' } = component;
    const logFile = layout.logOf(name);
    let lives = 0;
    let isUp = false;
    return {
      logFile,
      giveUp,
      untilNeedsReady: () => this.#untilAll(component.needs),
      report: (text) => send({ type: 'news', text }),
      lackOfRoom: () => lackOfRoom(stateOf(layout.stateDir)),
      onReady: () => {
        const text = lives > 1 ? `${name} is back` : address;
        send(isUp ? { type: 'news', text } : { type: 'stepDone', step: name, text });
        isUp = true;
      },
      onProcess: (pid) => {
        const identity = pid === undefined ? undefined : identityOf(pid);
        if (identity === undefined) delete this.#stack.components[name];
        else {
          lives += 1;
          const restarts = lives - 1;
          this.#stack.components[name] = { ...identity, address, log: logFile, restarts };
        }
        writeStackFile(layout, this.#stack);
      },
    };
  }
}
