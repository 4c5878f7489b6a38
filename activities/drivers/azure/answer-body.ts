/**
 * What Azure says against a request. The SDKs keep it in the errors of plain reads, and drop it in
 * those of long writes and of lists.
 */

export interface RawResponse {
  headers: { get(name: string): string | undefined };
  parsedBody?: unknown;
}

export class AnswerBody {
  #body: unknown;

  note({ parsedBody }: RawResponse): void {
    this.#body = parsedBody;
  }

  /** Ends as the call does; an error gets the body in the place where that of a read has it. */
  async addedTo<Result>(calling: Promise<Result>): Promise<Result> {
    try {
      return await calling;
    } catch (error) {
      throw Object.assign(Object(error), { details: this.#body });
    }
  }
}
