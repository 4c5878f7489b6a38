/** What doubles of REST clouds have in common: a server of JSON, and rules for what is sent. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { isRecord } from '../../../workflows/values/is-record.ts';

export interface JsonRequest {
  method: string;
  /** Without its query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Undefined where there is none; a text that is no JSON is `null`. */
  body: unknown;
}

export interface JsonAnswer {
  status: number;
  /** Undefined: an empty answer. */
  body?: object;
  headers?: Readonly<Record<string, string>>;
}

export interface JsonServer {
  url: string;
  close: () => Promise<void>;
}

export async function startJsonServer(
  answer: (request: JsonRequest) => JsonAnswer,
  port = 0,
): Promise<JsonServer> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const url = new URL(request.url ?? '/', 'http://double');
      const {
        status,
        body: said,
        headers,
      } = answer({
        method: request.method ?? 'GET',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: body === '' ? undefined : parsed(body),
      });
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(said === undefined ? '' : JSON.stringify(said));
    })();
  });
  await new Promise<void>((settle) => server.listen(port, '127.0.0.1', settle));
  const address = server.address();
  const given = isRecord(address) ? Number(address['port']) : 0;
  return {
    url: `http://127.0.0.1:${given}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((settle) => server.close(settle));
    },
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** In words what it has to be; undefined: it is right. */
export type Rule = (value: unknown) => string | undefined;

export interface FieldRule {
  rule: Rule;
  isNeeded?: boolean;
}

export interface FieldFault {
  name: string;
  words: string;
}

/** Unknown fields, those that are missing, and those that are wrong. */
export function fieldFaults(
  body: unknown,
  rules: Readonly<Record<string, FieldRule>>,
): FieldFault[] {
  const fields = isRecord(body) ? body : {};
  const unknown = Object.keys(fields).filter((name) => !Object.hasOwn(rules, name));
  return [
    ...unknown.map((name) => ({ name, words: 'unknown field' })),
    ...Object.entries(rules).flatMap(([name, { rule, isNeeded = false }]) => {
      const value = fields[name];
      if (value === undefined) return isNeeded ? [{ name, words: 'is required' }] : [];
      const words = rule(value);
      return words === undefined ? [] : [{ name, words }];
    }),
  ];
}

const when = (isRight: boolean, words: string): string | undefined => (isRight ? undefined : words);

export const aText =
  (form = /^/, max = 255): Rule =>
  (value) =>
    when(typeof value === 'string' && form.test(value) && value.length <= max, 'is not valid');

export const aTruth: Rule = (value) => when(typeof value === 'boolean', 'is not a boolean');

export const anId: Rule = (value) =>
  when(Number.isInteger(value) && Number(value) > 0, 'is not an ID');

export const eitherOf =
  (...rules: Rule[]): Rule =>
  (value) =>
    rules.some((rule) => rule(value) === undefined) ? undefined : 'is of no form that is allowed';

export const listOf =
  (rule: Rule): Rule =>
  (value) =>
    Array.isArray(value)
      ? value.map((item: unknown) => rule(item)).find((words) => words !== undefined)
      : 'is not a list';

export const anObject =
  (rules: Readonly<Record<string, FieldRule>>): Rule =>
  (value) => {
    if (!isRecord(value)) return 'is not an object';
    const [first] = fieldFaults(value, rules);
    return first && `${first.name}: ${first.words}`;
  };

/** The time of a double goes on when a test says so. */
export class HandClock {
  #ahead = 0;

  now(): number {
    return Date.now() + this.#ahead;
  }

  advance(seconds: number): void {
    this.#ahead += seconds * 1_000;
  }

  text(milliseconds = this.now()): string {
    return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, '+00:00');
  }
}
