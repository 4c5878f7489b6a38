/** Takes API servers away from one scenario's watcher and worker, as a broken network does. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Access } from './operator.ts';
import { Relay } from './relay.ts';
import { logFolderOf, testStack } from './test-stack.ts';
import { apiServer, kubeconfigOf, type User } from './worker-upstream.ts';

export class ApiOutage {
  readonly #name: string;
  /** `target`: the control cluster stays in reach. */
  readonly #takes: 'target' | 'both';
  readonly #worker: User;
  readonly #relays: Relay[] = [];
  readonly #access = new Map<User, Access>();
  #isOut = false;

  /**
   * @param name Of its files: two outages must not share them.
   * @param worker The user of the worker.
   */
  constructor(name: string, takes: 'target' | 'both', worker: User = 'millwright-worker') {
    this.#name = name;
    this.#takes = takes;
    this.#worker = worker;
  }

  async start(): Promise<void> {
    for (const user of [this.#worker, 'millwright-watcher'] as const) {
      this.#access.set(user, await this.#relay(user));
    }
  }

  /** For a scenario's options. */
  get options(): { workerAccess: () => Access; watcherAccess: () => Access } {
    return {
      workerAccess: () => this.#accessOf(this.#worker),
      watcherAccess: () => this.#accessOf('millwright-watcher'),
    };
  }

  begin(): void {
    this.#isOut = true;
    for (const relay of this.#relays) relay.cutAll();
  }

  end(): void {
    this.#isOut = false;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#relays.map((relay) => relay.stop()));
  }

  async #relay(user: User): Promise<Access> {
    const stack = testStack();
    const { virtualCloud } = stack;
    const relay = new Relay(await apiServer(user), async (_request, forward) =>
      this.#isOut ? undefined : await forward(),
    );
    this.#relays.push(relay);
    const relayed = join(logFolderOf(stack, this.#name), `${user}.kubeconfig`);
    writeFileSync(relayed, kubeconfigOf(await relay.start()));
    if (this.#takes === 'both') return { kubeconfig: relayed, virtualCloud };
    const kubeconfig = stack.layout.kubeconfigOf(user);
    return { kubeconfig, targetKubeconfig: relayed, virtualCloud };
  }

  #accessOf(user: User): Access {
    const access = this.#access.get(user);
    if (access === undefined) throw new Error('the outage was not started');
    return access;
  }
}
