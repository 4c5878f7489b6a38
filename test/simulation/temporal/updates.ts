/** Updates of one run: callers that wait for them, and how those ended that were accepted. */
import type { Failure, Payload } from './messages.ts';

export type UpdateOutcome = { success: Payload } | { failure: Failure };

interface OpenUpdate {
  isAccepted: boolean;
  ended: Promise<UpdateOutcome>;
  resolve(outcome: UpdateOutcome): void;
  reject(error: Error): void;
}

/** What the server writes down of them: one that is not accepted is in its memory alone. */
export interface SavedUpdates {
  accepted: readonly string[];
  outcomes: readonly (readonly [string, UpdateOutcome])[];
}

/** Of one that was accepted, and whose run is over. */
const cutShort: Failure = {
  message: 'Workflow Update failed because the Workflow completed before the Update completed.',
  source: 'Server',
  applicationFailureInfo: { type: 'AcceptedUpdateCompletedWorkflow', nonRetryable: true },
};

export class Updates {
  readonly #open = new Map<string, OpenUpdate>();
  readonly #outcomes: Map<string, UpdateOutcome>;

  constructor({ accepted, outcomes }: SavedUpdates) {
    this.#outcomes = new Map(outcomes);
    for (const id of accepted) {
      this.admit(id);
      this.accept(id);
    }
  }

  /** Accepted, at least; undefined: no such update is known, or it was refused. */
  isAccepted(id: string): boolean | undefined {
    return this.#outcomes.has(id) || this.#open.get(id)?.isAccepted;
  }

  /** How it ends; undefined for one that is not known. */
  outcomeOf(id: string): Promise<UpdateOutcome> | undefined {
    const outcome = this.#outcomes.get(id);
    return outcome ? Promise.resolve(outcome) : this.#open.get(id)?.ended;
  }

  admit(id: string): void {
    const { promise: ended, resolve, reject } = Promise.withResolvers<UpdateOutcome>();
    // A caller may be gone by then.
    ended.catch(() => undefined);
    this.#open.set(id, { isAccepted: false, ended, resolve, reject });
  }

  accept(id: string): void {
    const update = this.#open.get(id);
    if (update) update.isAccepted = true;
  }

  /** One that was refused is forgotten: the same one may be tried again. */
  end(id: string, outcome: UpdateOutcome): void {
    const update = this.#open.get(id);
    if (update?.isAccepted) this.#outcomes.set(id, outcome);
    update?.resolve(outcome);
    this.#open.delete(id);
  }

  /** The run is over. */
  close(reason: Error): void {
    for (const { isAccepted, resolve, reject } of this.#open.values()) {
      if (isAccepted) resolve({ failure: cutShort });
      else reject(reason);
    }
    this.#open.clear();
  }

  /** The server has stopped. */
  forget(reason: Error): void {
    for (const { reject } of this.#open.values()) reject(reason);
    this.#open.clear();
  }

  save(): SavedUpdates {
    const accepted = [...this.#open].flatMap(([id, update]) => (update.isAccepted ? [id] : []));
    return { accepted, outcomes: [...this.#outcomes] };
  }
}
