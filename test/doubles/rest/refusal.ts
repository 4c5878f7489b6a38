/** A request that a cloud would refuse. */
export class Refusal<Code extends string | number = string> extends Error {
  readonly status: number;
  readonly code: Code;

  constructor(status: number, code: Code, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
