/** Refusals in the form of Hetzner's API. */
import type { FieldFault } from '../rest/field-rules.ts';

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: object | null;

  constructor(...[status, code, message, details]: [number, string, string, object?]) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details ?? null;
  }

  body(): object {
    return { error: { code: this.code, message: this.message, details: this.details } };
  }
}

export function invalidInput(faults: readonly FieldFault[]): Refusal {
  const [first] = faults;
  const message = `invalid input in field '${first?.name}'`;
  const fields = faults.map(({ name, words }) => ({ name, messages: [words] }));
  return new Refusal(422, 'invalid_input', message, { fields });
}

export const notFound = (what: string, id: number): Refusal =>
  new Refusal(404, 'not_found', `${what} with ID '${id}' not found`);

export const locked = (what: string): Refusal =>
  new Refusal(423, 'locked', `${what} is locked: another action is running`);

export function taken(what: string): Refusal {
  return new Refusal(409, 'uniqueness_error', `${what} name is already used`, {
    fields: [{ name: 'name' }],
  });
}
