/**
 * Writes to many Machines: one that the API server refuses must not keep the others from being
 * done.
 */
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { clip } from '../../workflows/values/clip.ts';
import { compareText } from '../../workflows/plan/machine-set/scale-down.ts';
import type { Refusals } from '../../workflows/plan/requeues.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isRejected, isTooManyRequests } from '../../kube/client/errors.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { machineSubject } from '../machine/object.ts';
import { component, listOf, setSubject } from './batch-events.ts';

/** It stands in a condition and in the state of a workflow. */
const longestMessageBytes = 1_000;

interface Refused {
  uid: string;
  message: string;
  /** Nothing is wrong with the Machine: the server has too much to do. */
  isPutOff: boolean;
}

export class RefusedWrites {
  readonly #reason: Refusals['reason'];
  readonly #refused = new Map<string, Refused>();
  /** Error of a server that has too much to do: no more is sent to it. */
  #overload: string | undefined;

  constructor(reason: Refusals['reason']) {
    this.#reason = reason;
  }

  /** Returns what the call returns; undefined, and noted, when the API server refuses it. */
  async attempt<T>(
    { name, uid }: { name: string; uid: string },
    call: () => Promise<T>,
  ): Promise<T | undefined> {
    if (this.#overload !== undefined) {
      this.#refused.set(name, { uid, message: this.#overload, isPutOff: true });
      return undefined;
    }
    try {
      return await call();
    } catch (error) {
      const isPutOff = isTooManyRequests(error);
      if (!isPutOff && !isRejected(error)) throw error;
      const message = clip(error.message, longestMessageBytes);
      if (isPutOff) this.#overload = message;
      this.#refused.set(name, { uid, message, isPutOff });
      return undefined;
    }
  }

  get outcome(): Refusals | undefined {
    const names = [...this.#refused.keys()].toSorted(compareText);
    const first = this.#refused.get(names[0] ?? '');
    return first && { names, reason: this.#reason, message: first.message };
  }

  /** On each Machine, and on its set. `doing`: what was refused, such as `deleting`. */
  report(control: KubeClient, set: ObjectReference, doing: string): void {
    const { outcome } = this;
    if (!outcome) return;
    const text = { type: 'Warning', reason: this.#reason, component } as const;
    for (const [name, { uid, message, isPutOff }] of this.#refused) {
      if (isPutOff) continue;
      const subject = machineSubject({ namespace: set.namespace, name, uid });
      recordEvent(control, subject, { ...text, message: `Error ${doing}: ${message}` });
    }
    const message = `Error ${doing} ${listOf(outcome.names)}: ${outcome.message}`;
    recordEvent(control, setSubject(set), { ...text, message });
  }
}
