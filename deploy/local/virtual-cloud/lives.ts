/**
 * Plays what virtual machines do by themselves: boot, join, sicken, vanish. Goes on after a restart
 * where it stopped.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Happening } from './happenings.ts';
import type { Instance } from './instance.ts';
import type { NodeRegistry } from './nodes.ts';

export interface LivesParts {
  nodes: NodeRegistry;
  record: (happening: Happening) => void;
  /** Something unforeseen: the life of one machine stands still. */
  onError: (instance: Instance, error: unknown) => void;
}

/** The operator, which deletes the Nodes of machines that it deletes, goes first. */
const deletedGraceMs = 2_000;

interface Life {
  stopping: AbortController;
  done: Promise<void>;
}

export class Lives {
  readonly #parts: LivesParts;
  readonly #lives = new Map<string, Life>();
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(parts: LivesParts) {
    this.#parts = parts;
  }

  /** Takes up every machine after a restart. */
  resume(instances: Iterable<Instance>): void {
    for (const instance of instances) {
      if (instance.deletedAt === undefined) this.begin(instance);
      else if (!instance.isNodeStopped) this.end(instance);
    }
  }

  begin(instance: Instance): void {
    const stopping = new AbortController();
    const signal = AbortSignal.any([stopping.signal, this.#closing.signal]);
    const join = this.#run(instance, () => this.#join(instance, signal));
    const vanish = this.#run(instance, () => this.#vanish(instance, signal));
    this.#lives.set(instance.id, { stopping, done: join.then(() => vanish) });
  }

  /**
   * The machine is deleted already; its Node follows, unless who deleted the machine did that: a
   * node controller needs 40 s to miss a kubelet.
   */
  delete(instance: Instance): void {
    this.end(instance, deletedGraceMs);
  }

  /** The machine is gone. */
  end(instance: Instance, graceMs = 0): void {
    const life = this.#lives.get(instance.id);
    life?.stopping.abort();
    this.#lives.delete(instance.id);
    void this.#run(instance, () => this.#stop(instance, graceMs, life?.done));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }

  async #join(instance: Instance, signal: AbortSignal): Promise<void> {
    if (instance.fate.neverJoins) return;
    const { id, name } = instance;
    if (instance.nodeUid === undefined) {
      await sleepUntil(instance.bootAt, signal);
      const onRefused = (message: string): void =>
        this.#parts.record({ type: 'joinRefused', id, name, message });
      const nodeUid = await this.#parts.nodes.register(instance, { signal, onRefused });
      this.#parts.record({ type: 'joined', id, name, nodeUid });
    }
    await this.#sicken(instance, signal);
  }

  async #sicken(instance: Instance, signal: AbortSignal): Promise<void> {
    const { fate, createdAt, hasSickened, id, name } = instance;
    if (!fate.sickens || hasSickened) return;
    const { afterSeconds, condition } = fate.sickens;
    await sleepUntil(createdAt + afterSeconds * 1_000, signal);
    await this.#parts.nodes.sicken(instance, condition, signal);
    this.#parts.record({ type: 'sickened', id, name, condition });
  }

  async #vanish(instance: Instance, signal: AbortSignal): Promise<void> {
    const { fate, createdAt, id, name } = instance;
    if (!fate.vanishes) return;
    await sleepUntil(createdAt + fate.vanishes.afterSeconds * 1_000, signal);
    this.#parts.record({ type: 'vanished', id, name });
    this.end(instance);
  }

  /** After the life, so that a registration under way cannot bring the Node back. */
  async #stop(instance: Instance, graceMs: number, life: Promise<void> | undefined): Promise<void> {
    await life;
    await sleep(graceMs, undefined, { signal: this.#closing.signal });
    await this.#parts.nodes.stop(instance, this.#closing.signal);
    this.#parts.record({ type: 'nodeStopped', id: instance.id, name: instance.name });
  }

  /**
   * Never fails: what ends a life early is a deletion, the end of the process, or a fault that is
   * reported.
   */
  #run(instance: Instance, work: () => Promise<void>): Promise<void> {
    const running = work()
      .catch((error: unknown) => {
        if (!(error instanceof Error && error.name === 'AbortError'))
          this.#parts.onError(instance, error);
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }
}

async function sleepUntil(time: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(0, time - Date.now()), undefined, { signal });
}
