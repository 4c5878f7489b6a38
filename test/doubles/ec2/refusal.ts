/** What EC2 answers instead of doing it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;
  readonly status: number;
  readonly retryAfter: string | undefined;

  constructor(fault: { code: string; message?: string; status?: number; retryAfter?: string }) {
    super(fault.message ?? fault.code);
    this.code = fault.code;
    this.status = fault.status ?? 400;
    this.retryAfter = fault.retryAfter;
  }
}
