/**
 * One read for all callers of the same moment. Each gets an answer to a read that began after it
 * asked: a caller that asks while one is running waits for the next one, which all others that ask
 * meanwhile get too. So there is one read at a time, however many callers there are.
 */
export class SharedRead<T> {
  readonly #read: () => Promise<T>;
  /** Ends, without an error, when the read that is running ends. Keeps nothing of its answer. */
  #running = Promise.resolve();
  #next: Promise<T> | undefined;

  constructor(read: () => Promise<T>) {
    this.#read = read;
  }

  /** Returns the answer to a read that begins after this call. It is shared: callers only read. */
  async next(): Promise<T> {
    this.#next ??= this.#begin();
    return await this.#next;
  }

  async #begin(): Promise<T> {
    await this.#running;
    this.#next = undefined;
    const answer = this.#read();
    // A failure is an error of those who joined this read.
    this.#running = answer.then(ignore, ignore);
    return await answer;
  }
}

function ignore(): void {}
