/**
 * Under which ids the cloud knows what it was asked: a driver notes them, and the activity that
 * called it says them in its log line and its span.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface CloudRequest {
  /** As the cloud's support asks for it. */
  id: string;
  /** It made, changed or deleted something: its id is worth more than that of a read. */
  isChange: boolean;
}

/** How the cloud was asked by one call of a driver. */
export interface AnsweredRequest {
  /** Absent: the driver knows none. */
  requestId?: string | undefined;
  durationMs: number;
}

/** The newest of each kind. */
class CloudRequests {
  #change: string | undefined;
  #read: string | undefined;

  note({ id, isChange }: CloudRequest): void {
    if (isChange) this.#change = id;
    else this.#read = id;
  }

  /** Id of the newest change; undefined: nothing was changed. */
  get changeId(): string | undefined {
    return this.#change;
  }

  /** Id of the newest change, or else of the newest read. */
  get id(): string | undefined {
    return this.#change ?? this.#read;
  }
}

export type { CloudRequests };

const running = new AsyncLocalStorage<CloudRequests>();

/** Without an id, and outside of `notingCloudRequests`, nothing happens. */
export function noteCloudRequest(id: unknown, isChange: boolean): void {
  if (typeof id === 'string' && id !== '') running.getStore()?.note({ id, isChange });
}

/**
 * Notes the requests of `action` to the cloud in its argument. An outer call notes them as well.
 */
export function notingCloudRequests<T>(action: (requests: CloudRequests) => T): T {
  const requests = running.getStore() ?? new CloudRequests();
  return running.run(requests, () => action(requests));
}
