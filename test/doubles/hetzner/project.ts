/** What is in a project, and what the cloud works on there. */
import type { HandClock } from '../rest/field-rules.ts';
import { notFound, Refusal } from './answers.ts';
import type { Labels } from './labels.ts';

export interface StoredServer {
  id: number;
  name: string;
  status: string;
  created: string;
  labels: Labels;
  /** As it was asked for. */
  body: Readonly<Record<string, unknown>>;
  isProtected: boolean;
}

export interface StoredFloatingIp {
  id: number;
  name: string;
  created: string;
  labels: Labels;
  location: string;
  server: number | null;
}

export interface StoredAction {
  id: number;
  status: 'running' | 'success' | 'error';
  command: string;
  progress: number;
  started: string;
  finished: string | null;
  error: { code: string; message: string } | null;
  resources: { id: number; type: string }[];
}

interface Work {
  action: StoredAction;
  endsAt: number;
  /** An error: it has failed. */
  end: () => StoredAction['error'];
}

export class Project {
  readonly servers = new Map<number, StoredServer>();
  readonly floatingIps = new Map<number, StoredFloatingIp>();
  readonly limit: RateLimit;
  readonly clock: HandClock;
  /** By name, of all that were ever made. */
  readonly madeByName = new Map<string, number>();
  /** How many servers the project may have. */
  serverMax = 1_000;
  /** Types of which no location has any left. */
  soldOut = new Set<string>();
  /** How long an action takes. 0: it is over with the next request. */
  actionSeconds = 0;
  /** Servers of which no host starts one. */
  startsServers = true;
  #work: Work[] = [];
  #actions = new Map<number, StoredAction>();
  #lastId = 1_000;

  constructor(clock: HandClock) {
    this.clock = clock;
    this.limit = new RateLimit(clock);
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  begin(
    command: string,
    { server, floatingIp }: { server: number; floatingIp?: number },
    end: Work['end'],
  ): StoredAction {
    const action: StoredAction = {
      id: this.nextId(),
      status: 'running',
      command,
      progress: 0,
      started: this.clock.text(),
      finished: null,
      error: null,
      resources: [
        { id: server, type: 'server' },
        ...(floatingIp === undefined ? [] : [{ id: floatingIp, type: 'floating_ip' }]),
      ],
    };
    this.#actions.set(action.id, action);
    this.#work.push({ action, endsAt: this.clock.now() + this.actionSeconds * 1_000, end });
    return { ...action };
  }

  /** What is due by now is done, in the order in which it was begun. */
  goOn(): void {
    const now = this.clock.now();
    const due = this.#work.filter(({ endsAt }) => endsAt <= now);
    this.#work = this.#work.filter(({ endsAt }) => endsAt > now);
    for (const { action, end } of due) {
      action.error = end();
      action.status = action.error ? 'error' : 'success';
      action.progress = 100;
      action.finished = this.clock.text();
    }
  }

  actionOf(id: number): StoredAction {
    const action = this.#actions.get(id);
    if (!action) throw notFound('action', id);
    return action;
  }

  isLocked(serverId: number): boolean {
    return this.#work.some(({ action }) => action.resources[0]?.id === serverId);
  }

  serverOf(id: number): StoredServer {
    const server = this.servers.get(id);
    if (!server) throw notFound('server', id);
    return server;
  }

  floatingIpOf(id: number): StoredFloatingIp {
    const floatingIp = this.floatingIps.get(id);
    if (!floatingIp) throw notFound('floating_ip', id);
    return floatingIp;
  }

  living(name: string): StoredServer[] {
    return [...this.servers.values()].filter((server) => server.name === name);
  }
}

const perHour = 3_600;

/** A call is given back each second; the reset is when all are there again. */
class RateLimit {
  readonly #clock: HandClock;
  #left = perHour;
  #at: number;

  constructor(clock: HandClock) {
    this.#clock = clock;
    this.#at = clock.now();
  }

  /** Other users of the token have used up all but so many. */
  useUp(left = 0): void {
    this.#refill();
    this.#left = left;
  }

  take(): void {
    this.#refill();
    if (this.#left < 1) {
      const words = `limit of ${perHour} requests per hour reached`;
      throw new Refusal(429, 'rate_limit_exceeded', words);
    }
    this.#left -= 1;
  }

  headers(): Record<string, string> {
    const seconds = Math.floor(this.#clock.now() / 1_000);
    return {
      'RateLimit-Limit': String(perHour),
      'RateLimit-Remaining': String(Math.floor(this.#left)),
      'RateLimit-Reset': String(seconds + Math.ceil(perHour - this.#left)),
    };
  }

  #refill(): void {
    const now = this.#clock.now();
    this.#left = Math.min(perHour, this.#left + (now - this.#at) / 1_000);
    this.#at = now;
  }
}
