/**
 * What the virtual cloud says of the instances of one scenario: it is the judge.
 * docs/virtual-cloud.md has its API.
 */

export interface CloudInstance {
  id: string;
  name: string;
  token: string;
  providerID: string;
  state: 'booting' | 'running' | 'deleted';
  userDataDigest: string;
  address: string;
  /** RFC 3339. */
  bootAt: string;
  tags: Record<string, string>;
}

export interface CloudCalls {
  /** Operation -> outcome -> calls. */
  operations: Record<string, Record<string, number>>;
  createsFromKnownToken: number;
  machinesPerToken: { max: number; offenders: Record<string, string[]> };
  /** Name -> how many instances of that name ever existed. */
  createsPerName: Record<string, number>;
  /** Name -> how many instances of that name vanished. */
  vanishedPerName: Record<string, number>;
}

export interface CloudFault {
  operation?: string;
  /** Glob of names; default all of the scenario. */
  match?: string;
  kind: string;
  times?: number;
  seconds?: number;
  code?: string;
  message?: string;
  /** What the machine prints: of `neverJoin` and `joinNotReady`. */
  console?: string;
  /** Of `zoneFull`. Default all. */
  zone?: string;
}

export interface StandingFault {
  id: string;
  kind: string;
  match: string;
  fired: number;
}

interface Entry {
  type: string;
  /** Milliseconds. */
  at: number;
  operation?: string;
  name?: string;
  outcome?: string;
}

/** Sees only what has the scenario's prefix, as all scenarios share one cloud. */
export class VirtualCloud {
  readonly #url: string;
  readonly #prefix: string;

  constructor(url: string, prefix: string) {
    this.#url = url;
    this.#prefix = prefix;
  }

  async instances(): Promise<CloudInstance[]> {
    const query = `namePrefix=${this.#prefix}`;
    const { instances } = await this.#call<{ instances: CloudInstance[] }>(`/instances?${query}`);
    return instances;
  }

  async calls(): Promise<CloudCalls> {
    return await this.#call<CloudCalls>(`/calls?match=${this.#prefix}*`);
  }

  /** How often an operation ended so, e.g. `create`, `hang`. */
  async count(operation: string, outcome: string): Promise<number> {
    return (await this.calls()).operations[operation]?.[outcome] ?? 0;
  }

  /** What happened to the scenario's instances, in order. */
  async happenings(): Promise<Entry[]> {
    const all: Entry[] = [];
    for (let since = 0; ;) {
      const page = await this.#call<{ events: Entry[]; next: number }>(`/events?since=${since}`);
      all.push(...page.events.filter(({ name }) => name?.startsWith(this.#prefix)));
      if (page.next === since) return all;
      since = page.next;
    }
  }

  /** Instances that a call deleted, in order: one that was deleted twice is there twice. */
  async deletions(): Promise<{ name: string; at: number }[]> {
    const all = await this.happenings();
    return all
      .filter(({ operation, outcome }) => operation === 'delete' && outcome === 'ok')
      .map(({ name = '', at }) => ({ name, at }));
  }

  async addFault(fault: CloudFault): Promise<void> {
    const body = JSON.stringify({ match: `${this.#prefix}*`, ...fault });
    await this.#call('/faults', { method: 'POST', body });
  }

  /** Takes away all faults of the scenario. Returns them, with how often each has fired. */
  async clearFaults(): Promise<StandingFault[]> {
    const { faults } = await this.#call<{ faults: StandingFault[] }>('/faults');
    const ours = faults.filter(({ match }) => match.startsWith(this.#prefix));
    for (const { id } of ours) await this.#call(`/faults/${id}`, { method: 'DELETE' });
    return ours;
  }

  /** What a machine has printed to its console. */
  async console(id: string): Promise<string> {
    return (await this.#call<{ output: string }>(`/instances/${id}/console`)).output;
  }

  /** Makes one as somebody else would who has our credentials. It never registers a Node. */
  async create(name: string, tags: Record<string, string>, token = name): Promise<CloudInstance> {
    await this.addFault({ operation: 'create', kind: 'neverJoin', match: name, times: 1 });
    const body = JSON.stringify({ name, token, tags });
    const answer = await this.#call<{ instance: CloudInstance }>('/instances', {
      method: 'POST',
      body,
    });
    return answer.instance;
  }

  async delete(id: string): Promise<void> {
    await this.#call(`/instances/${id}`, { method: 'DELETE' });
  }

  async set(settings: { bootSeconds?: number; callMilliseconds?: number }): Promise<void> {
    await this.#call('/settings', { method: 'PUT', body: JSON.stringify(settings) });
  }

  async #call<T>(path: string, init: RequestInit = {}): Promise<T> {
    const response = await fetch(`${this.#url}${path}`, {
      ...init,
      headers: { 'content-type': 'application/json' },
    });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${init.method ?? 'GET'} ${path}: ${response.status} ${text}`);
    }
    const answer: T = text === '' ? undefined : JSON.parse(text);
    return answer;
  }
}
