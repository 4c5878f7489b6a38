/** Calls and answers of the double, and what it holds. */
export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
}

export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export class Refusal extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`status ${answer.status}`);
    this.answer = answer;
  }
}

/** As the service has it. `looks`: reads until its state is another. */
export interface Held {
  looks: number;
  isGoing?: boolean;
  fields: Record<string, unknown>;
}

export interface World {
  servers: Map<string, Held>;
  ports: Map<string, Held>;
  volumes: Map<string, Held>;
  floatingIPs: Map<string, Held>;
  tokens: Set<string>;
  /** Names of all servers that were ever accepted. */
  made: string[];
}

/** Of Nova and Cinder. */
export function refuse(status: number, name: string, message: string): never {
  throw new Refusal({ status, body: { [name]: { code: status, message } } });
}

/** Both refuse what their schema does not have. */
export function requireKnown(body: unknown, known: readonly string[]): void {
  const unknown = Object.keys(Object(body)).filter((key) => !known.includes(key));
  if (unknown.length === 0) return;
  refuse(
    400,
    'badRequest',
    `Invalid input. Additional properties are not allowed (${unknown.join(', ')})`,
  );
}

export function fieldsOf(value: unknown): Record<string, unknown> {
  return { ...Object(value) };
}

export function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map((item) => fieldsOf(item)) : [];
}
