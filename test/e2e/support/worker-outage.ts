/** Takes the API server away from a worker alone, as a broken network does. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerAccess } from './operator.ts';
import { Relay } from './relay.ts';
import { logFolderOf, testStack } from './test-stack.ts';
import { apiServer, kubeconfigOf } from './worker-upstream.ts';

export class WorkerOutage {
  #relay: Relay | undefined;
  #access: WorkerAccess | undefined;
  #isOut = false;

  async start(): Promise<void> {
    const stack = testStack();
    this.#relay = new Relay(await apiServer(), async (_request, forward) =>
      this.#isOut ? undefined : await forward(),
    );
    const kubeconfig = join(logFolderOf(stack, 'worker-outage'), 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigOf(await this.#relay.start()));
    this.#access = { kubeconfig, virtualCloud: stack.virtualCloud };
  }

  /** For the worker. */
  get access(): WorkerAccess {
    if (this.#access === undefined) throw new Error('the outage was not started');
    return this.#access;
  }

  begin(): void {
    this.#isOut = true;
    this.#relay?.cutAll();
  }

  end(): void {
    this.#isOut = false;
  }

  async stop(): Promise<void> {
    await this.#relay?.stop();
  }
}
