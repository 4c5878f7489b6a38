/** Time, handed in so that tests can turn it. */
export interface Clock {
  /** Milliseconds; only differences count. */
  now(): number;
  /** Returns how to cancel it. */
  after(milliseconds: number, action: () => void): () => void;
}

export const realClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
};
