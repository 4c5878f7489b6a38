/** A process' calls to the cloud: they travel, and the cloud may refuse or hold them up. */
import type { Transport, TransportRequest } from '../../../activities/drivers/virtual/client.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';
import { ConnectionBroken, journey } from '../engine/journey.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import { CloudFaults } from './cloud-faults.ts';
import type { CloudFaultsParts } from './cloud-faults.ts';
import type { CloudCall } from './cloud.ts';
import type { CloudAnswer } from './refusals.ts';
import { Strangers } from './strangers.ts';

export { allCloudTrouble, calmCloud } from './trouble.ts';
export type { CloudTrouble } from './trouble.ts';

export type CloudNetworkParts = CloudFaultsParts;

/**
 * The driver promises that a create whose caller is gone shows within its settle window, 1 s, or
 * not at all: what arrives later is not carried out.
 */
const latestArrivalMs = 900;

/** To a caller that is gone. */
const unheard: CloudAnswer = { statusCode: 499, headers: {}, text: '' };

interface Sender {
  process: SimulatedProcess;
  /** When the process ended, milliseconds since 1970. */
  goneAt: number | undefined;
}

interface Sent {
  call: CloudCall;
  sender: Sender;
  abortedAt: number | undefined;
  /** Of its first arrival; it may arrive again. */
  answer: CloudAnswer | undefined;
}

/** One for all processes: a zone that is full is so for all of them. */
export class CloudNetwork {
  readonly #parts: CloudNetworkParts;
  readonly #faults: CloudFaults;

  constructor(parts: CloudNetworkParts) {
    this.#parts = parts;
    const chance = parts.simulation.chance.fork();
    this.#faults = new CloudFaults(parts, chance.fork());
    new Strangers({ ...parts, chance: chance.fork() }).start();
  }

  transportFor(process: SimulatedProcess): Transport {
    const sender: Sender = { process, goneAt: undefined };
    process.onEnd(() => {
      sender.goneAt = this.#parts.simulation.now;
    });
    return async (request) => await this.#send(sender, request);
  }

  #send(sender: Sender, request: TransportRequest): ReturnType<Transport> {
    const { signal } = request;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const sent = sentBy(sender, request);
      const stop = (): void => {
        sent.abortedAt = this.#parts.simulation.now;
        reject(signal.reason);
      };
      signal.addEventListener('abort', stop, { once: true });
      this.#travel(sent)
        .then(resolve, (error: unknown) => reject(asSeenByClient(error)))
        .finally(() => signal.removeEventListener('abort', stop));
    });
  }

  #travel(sent: Sent): Promise<CloudAnswer> {
    const { simulation, weather } = this.#parts;
    const { process } = sent.sender;
    const name = `${sent.call.method} cloud${sent.call.path.split('?')[0]}`;
    const fate = weather.fateOf(process, name, 'cloud');
    const fault = this.#faults.shape(fate);
    if (fault !== undefined) process.note(`${name}: ${fault}`);
    return journey(simulation, { process, fate, effect: () => this.#arrive(name, sent) });
  }

  #arrive(name: string, sent: Sent): CloudAnswer {
    const { call, sender } = sent;
    if (isCreate(call) && this.#isTooLate(sent)) return unheard;
    // What made nothing at first leaves nothing under way that could still make an instance.
    if (sent.answer && isCreate(call) && !this.#isKnown(call)) return sent.answer;
    sent.answer = this.#faults.answer(call);
    const { statusCode, text } = sent.answer;
    if (statusCode >= 400 && statusCode !== 404) {
      sender.process.note(`${name}: ${statusCode} ${text}`);
    }
    return sent.answer;
  }

  #isKnown({ body }: CloudCall): boolean {
    const { token } = isRecord(body) ? body : {};
    return typeof token === 'string' && this.#parts.cloud.knowsToken(token);
  }

  #isTooLate({ sender, abortedAt }: Sent): boolean {
    const goneAt = abortedAt ?? sender.goneAt;
    return goneAt !== undefined && this.#parts.simulation.now - goneAt > latestArrivalMs;
  }
}

function sentBy(sender: Sender, { method, path, body }: TransportRequest): Sent {
  const { name } = sender.process;
  const text = JSON.stringify(body);
  const call = { method, path, by: name, ...(text !== undefined && { body: JSON.parse(text) }) };
  return { call, sender, abortedAt: undefined, answer: undefined };
}

function isCreate({ method, path }: CloudCall): boolean {
  return method === 'POST' && path === '/instances';
}

function asSeenByClient(error: unknown): unknown {
  return error instanceof ConnectionBroken ? new Error('other side closed') : error;
}
