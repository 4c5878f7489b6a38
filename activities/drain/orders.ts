/**
 * Changes that people make to a running drain stand on its Machine. The workflow cancels the drain
 * for them, which an activity hears with the answer to a heartbeat, 15 s later or more: so a pass
 * that runs reads there itself.
 */
import type { Machine } from '../../workflows/api/machine.ts';
import { drainOrdersIn } from '../../workflows/api/drain-options.ts';
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { readMachine } from '../machine/object.ts';
import { nowMs } from '../system/system.ts';

export class DrainOrders {
  readonly #control: KubeClient;
  readonly #ref: ObjectReference;
  readonly #known: string;
  #readAt = nowMs();

  /** `machine`: as the attempt found it when it began. */
  constructor(control: KubeClient, ref: ObjectReference, machine: Machine | undefined) {
    this.#control = control;
    this.#ref = ref;
    this.#known = digestOf(machine);
  }

  /** Reads at most once in so many milliseconds. */
  async haveChanged(everyMs: number): Promise<boolean> {
    if (nowMs() < this.#readAt + everyMs) return false;
    this.#readAt = nowMs();
    return digestOf(await readMachine(this.#control, this.#ref)) !== this.#known;
  }
}

function digestOf(machine: Machine | undefined): string {
  return machine ? drainOrdersIn(machine.metadata) : '';
}
