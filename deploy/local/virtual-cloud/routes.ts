/** Paths of the HTTP API. The requests and answers of each stand in docs/virtual-cloud.md. */
import { randomBytes } from 'node:crypto';
import { administrative, refusal, type Answer } from './answers.ts';
import type { Cloud, InstanceFilter } from './cloud.ts';
import type { CallCounters } from './counters.ts';
import { parseFault, type Fault } from './faults.ts';
import { BadRequest, Fields } from './fields.ts';
import type { Journal } from './journal.ts';
import type { Ledger } from './ledger.ts';
import { matchesGlob } from './name-glob.ts';
import { parseSettings } from './settings.ts';

export interface ApiRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
}

export interface RoutesParts {
  cloud: Cloud;
  journal: Journal;
  ledger: Ledger;
  counters: CallCounters;
}

type Handler = (request: ApiRequest, id: string) => Answer;
/** `{id}` in a path stands for one segment. */
type Routes = Record<string, Record<string, Handler>>;

const eventsPerAnswer = 1_000;

export function createRoutes(parts: RoutesParts): (request: ApiRequest) => Answer {
  const routes = { ...cloudRoutes(parts.cloud), ...judgeRoutes(parts), ...controlRoutes(parts) };
  return (request) => {
    const { path, method } = request;
    const [, resource = '', id, action] = path.split('/');
    const pattern = [`/${resource}`, ...(id ? ['{id}'] : []), ...(action ? [action] : [])].join(
      '/',
    );
    const methods = routes[pattern];
    if (!methods)
      return noSuchPath(`path: ${path} is not one of ${Object.keys(routes).join(', ')}`);
    const handler = methods[method];
    if (handler) return handler(request, decodeURIComponent(id ?? ''));
    const allowed = Object.keys(methods).join(', ');
    const answer = noSuchPath(`method: ${method} ${path}: allowed is ${allowed}`);
    return { ...answer, status: 405, headers: { allow: allowed } };
  };
}

function noSuchPath(message: string): Answer {
  return {
    ...refusal({ code: 'Unimplemented', reason: 'NoSuchPath', message }),
    status: 404,
    isCloudCall: false,
  };
}

function cloudRoutes(cloud: Cloud): Routes {
  return {
    '/instances': {
      POST: ({ body }) => cloud.create(body),
      GET: ({ query }) => cloud.list(parseFilter(query)),
    },
    '/instances/{id}': {
      GET: (_request, id) => cloud.describe(id),
      DELETE: (_request, id) => cloud.delete(id),
    },
    '/instances/{id}/initialize': { POST: (_request, id) => cloud.initialize(id) },
    '/instances/{id}/console': { GET: (_request, id) => cloud.console(id) },
    '/volumes': { GET: () => cloud.volumes() },
  };
}

/** Routes that report what really happened. */
function judgeRoutes({ journal, counters, ledger }: RoutesParts): Routes {
  return {
    '/calls': {
      GET: ({ query }) => {
        allowParameters(query, ['match']);
        const match = query.get('match') ?? '*';
        return administrative(counters.report((name) => matchesGlob(name, match)));
      },
    },
    '/events': {
      GET: ({ query }) => {
        allowParameters(query, ['since', 'limit']);
        const since = countIn(query, 'since') ?? 0;
        const events = journal.read(since, countIn(query, 'limit') ?? eventsPerAnswer);
        return administrative({ events, next: since + events.length });
      },
    },
    '/healthz': {
      GET: () => administrative({ status: 'ok', instances: ledger.living.size, pid: process.pid }),
    },
  };
}

function controlRoutes({ cloud, ledger }: RoutesParts): Routes {
  const setFaults = (faults: Fault[]): Answer => {
    cloud.record({ type: 'faults', faults });
    return administrative({ faults: ledger.faults });
  };
  return {
    '/settings': {
      GET: () => administrative(ledger.settings),
      PUT: ({ body }) => {
        cloud.record({ type: 'settings', settings: parseSettings(body, ledger.settings) });
        return administrative(ledger.settings);
      },
    },
    '/faults': {
      GET: () => administrative({ faults: ledger.faults }),
      PUT: ({ body }) => setFaults(parseFaults(body)),
      POST: ({ body }) => setFaults([...ledger.faults, parseFault(body, newFaultId())]),
      DELETE: ({ query }) => {
        allowParameters(query, ['match']);
        const match = query.get('match');
        return setFaults(
          match === null ? [] : ledger.faults.filter((fault) => fault.match !== match),
        );
      },
    },
    '/faults/{id}': {
      DELETE: (_request, id) => setFaults(ledger.faults.filter((fault) => fault.id !== id)),
    },
  };
}

/** A list, or what `GET /faults` answers. */
function parseFaults(body: unknown): Fault[] {
  const list = Array.isArray(body) ? body : new Fields(body).allow('faults').value('faults');
  if (!Array.isArray(list))
    throw new BadRequest('body: expected a list of faults, or {"faults": [...]}');
  return list.map((item, index) => parseFault(item, newFaultId(), `faults[${index}]`));
}

function newFaultId(): string {
  return `fault-${randomBytes(4).toString('hex')}`;
}

function parseFilter(query: URLSearchParams): InstanceFilter {
  allowParameters(query, ['name', 'namePrefix', 'token', 'tag', 'deleted']);
  const filter: InstanceFilter = {
    tags: Object.fromEntries(query.getAll('tag').map(parseTag)),
    isDeletedWanted: parseFlag(query, 'deleted'),
  };
  for (const key of ['name', 'namePrefix', 'token'] as const) {
    const value = query.get(key);
    if (value !== null) filter[key] = value;
  }
  return filter;
}

function parseTag(text: string): [string, string] {
  const split = text.indexOf('=');
  if (split > 0) return [text.slice(0, split), text.slice(split + 1)];
  throw new BadRequest(`tag: ${JSON.stringify(text)} is not of the form key=value`);
}

function parseFlag(query: URLSearchParams, name: string): boolean {
  const text = query.get(name) ?? 'false';
  if (text === 'true' || text === 'false') return text === 'true';
  throw new BadRequest(`${name}: ${JSON.stringify(text)} is not true or false`);
}

function countIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new BadRequest(`${name}: ${JSON.stringify(text)} is not a whole number from 0`);
}

function allowParameters(query: URLSearchParams, allowed: string[]): void {
  const unknown = [...query.keys()].find((name) => !allowed.includes(name));
  if (unknown === undefined) return;
  throw new BadRequest(`${unknown}: unknown parameter; known are ${allowed.join(', ')}`);
}
