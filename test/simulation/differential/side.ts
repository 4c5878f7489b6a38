/** One of the two API servers that are compared: what it was asked, and what it answered. */
import { requestOf } from '../../../kube/client/http-client.ts';
import type { Call } from '../../../kube/client/http-client.ts';
import type { Query } from '../../../kube/client/client.ts';
import type { KubeConfig } from '../../../kube/client/kubeconfig.ts';
import { createTransport } from '../../../kube/client/transport.ts';
import { timeoutSignal } from '../../../activities/system/system.ts';
import type { Transport } from '../../../kube/client/transport.ts';
import { Memory } from './memory.ts';

export interface Answer {
  code: number;
  body: unknown;
}

export interface SideOptions {
  kubeConfig: KubeConfig;
  /** Forgets what was before. */
  compact(): Promise<void>;
  /** Called by the one who made it. */
  close(): Promise<void>;
}

interface OpenWatch {
  events: unknown[];
  stop: AbortController;
}

const patienceMs = 20_000;

export class Side {
  readonly memory = new Memory();
  readonly #compact: () => Promise<void>;
  readonly #transport: Transport;
  readonly #watches = new Map<number, OpenWatch>();

  constructor({ kubeConfig, compact }: Omit<SideOptions, 'close'>) {
    this.#compact = compact;
    this.#transport = createTransport({ kubeConfig, userAgent: 'millwright-test' });
  }

  async call(step: number, call: Call): Promise<Answer> {
    const resolved: Call = this.memory.resolved(call);
    const signal = timeoutSignal(patienceMs);
    const request = { ...requestOf(resolved), signal, pool: 'calls' } as const;
    const response = await this.#transport.send(request);
    const text = await response.body.text();
    const answer = { code: response.statusCode, body: parsed(text) };
    this.memory.learn(step, answer.body);
    return answer;
  }

  /** The answer where it is refused. Otherwise the events are heard from now on. */
  async watch(step: number, path: string, query: Query): Promise<Answer | undefined> {
    const stop = new AbortController();
    const call = this.memory.resolved({ method: 'GET', path, query: { ...query, watch: true } });
    const request = { ...requestOf(call), signal: stop.signal, pool: 'watches' } as const;
    const response = await this.#transport.send(request);
    if (response.statusCode !== 200) {
      return { code: response.statusCode, body: parsed(await response.body.text()) };
    }
    const watch: OpenWatch = { events: [], stop };
    this.#watches.set(step, watch);
    void collect(response.body, watch);
    return undefined;
  }

  /** Those that each watch heard so far, by the step that opened it. */
  get heard(): ReadonlyMap<number, readonly unknown[]> {
    return new Map([...this.#watches].map(([step, { events }]) => [step, events]));
  }

  endWatches(): void {
    for (const { stop } of this.#watches.values()) stop.abort();
    this.#watches.clear();
  }

  /** What was before is forgotten. */
  async compact(): Promise<void> {
    await this.#compact();
  }

  async close(): Promise<void> {
    this.endWatches();
    await this.#transport.close();
  }
}

async function collect(
  body: AsyncIterable<Uint8Array>,
  { events, stop }: OpenWatch,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      events.push(...lines.filter((line) => line !== '').map(parsed));
    }
  } catch (error) {
    if (!stop.signal.aborted) events.push({ type: 'BROKEN', object: String(error) });
  }
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}
