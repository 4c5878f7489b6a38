/** Reads that a person may not have the right to: what is missing then is said. */
import { isForbidden, isNotFound } from '../../kube/client/errors.ts';

export class TolerantReads {
  readonly #unread = new Set<string>();

  /** Names of what the API server refused, first refusal first. */
  get unread(): string[] {
    return [...this.#unread];
  }

  /**
   * Undefined where it is refused. A kind that the API server does not serve has no objects: that
   * is undefined too, and nothing is unknown. Other failures are not of rights, and are thrown.
   */
  async read<T>(what: string, answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isForbidden(error)) throw error;
      this.#unread.add(what);
      return undefined;
    }
  }
}
