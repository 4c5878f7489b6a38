/** Moments of a drain at which a worker can die. */
import type { Picker } from './kill-proxy.ts';
import type { Step } from './kill-steps.ts';
import type { RelayedRequest } from './relay.ts';

type Matcher = (step: Step, request: RelayedRequest) => boolean;

const ofKind =
  (kind: string, ...words: string[]): Matcher =>
  (step, { body }) =>
    step.kind === kind && words.every((word) => body.includes(word));

const matchers = {
  cordon: ofKind('api patch nodes', 'unschedulable'),
  condition: ofKind('api patch nodes/status', 'Terminating'),
  'list of pods': ofKind('api list pods'),
  'first eviction': ofKind('api create pods/eviction'),
  /** Read when one has refused, to say which: after it the workflow is told. */
  budget: ofKind('api list poddisruptionbudgets'),
  /** The workflow has been told, and the Event is to be written. */
  report: ofKind('api create events', 'DrainBlocked'),
  'next try': ofKind('api create pods/eviction'),
  attachments: ofKind('api list volumeattachments'),
  'pod deletion': ofKind('api delete pods'),
  'last pod gone': ofKind('api list pods'),
  'VM deletion': ofKind('cloud delete instances'),
  'attachment deletion': ofKind('api delete volumeattachments'),
  'Node finalizer': ofKind('api patch nodes', '/finalizers'),
  'Node deletion': ofKind('api delete nodes'),
  'Machine finalizer': ofKind('api patch machines', 'finalizers'),
} satisfies Record<string, Matcher>;

export type DrainMoment = keyof typeof matchers;

/** Each moment that is armed is picked once. */
export class DrainMoments {
  readonly #hasNoPods: (nodeName: string) => Promise<boolean>;
  #nodeName = '';
  #left: DrainMoment[] = [];

  constructor(hasNoPods: (nodeName: string) => Promise<boolean>) {
    this.#hasNoPods = hasNoPods;
  }

  arm(nodeName: string, moments: DrainMoment[]): void {
    this.#nodeName = nodeName;
    this.#left = [...moments];
  }

  /** Those that have not come yet. */
  get left(): DrainMoment[] {
    return [...this.#left];
  }

  readonly picks: Picker = async (step, request) => {
    for (const moment of this.#left) {
      if (!matchers[moment](step, request)) continue;
      if (moment === 'last pod gone' && !(await this.#hasNoPods(this.#nodeName))) continue;
      // While somebody looked, another request may have taken it.
      return this.#take(moment);
    }
    return false;
  };

  #take(moment: DrainMoment): boolean {
    if (!this.#left.includes(moment)) return false;
    this.#left = this.#left.filter((one) => one !== moment);
    return true;
  }
}
