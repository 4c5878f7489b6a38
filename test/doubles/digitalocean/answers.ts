/** Refusals in the form of DigitalOcean's API. */
export class Refusal extends Error {
  readonly status: number;
  readonly id: string;

  constructor(status: number, id: string, message: string) {
    super(message);
    this.status = status;
    this.id = id;
  }
}
