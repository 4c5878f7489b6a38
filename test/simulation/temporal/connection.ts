/** A process' connection to Temporal: what `Connection` of the SDK's client is over a network. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { OperatorService, WorkflowService } from '@temporalio/client';
import type { ConnectionLike } from '@temporalio/client';
import { ConnectionBroken, journey } from '../engine/journey.ts';
import type { Fate } from '../engine/journey.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import type { Simulation } from '../engine/simulation.ts';
import { GrpcError } from './grpc-errors.ts';
import type { Handler } from './service.ts';

export interface ConnectionOptions {
  simulation: Simulation;
  process: SimulatedProcess;
  calls: ReadonlyMap<string, Handler>;
  fateOf(call: { process: SimulatedProcess; method: string }): Fate;
  /** The server is there. */
  isUp(): boolean;
}

interface CallContext {
  /** Milliseconds since 1970, by the clock of the process. */
  deadline?: number;
  signal?: AbortSignal;
}

/** As the retry of the SDK's client. */
const attemptsMax = 10;
const firstRetryMs = 100;
const longestRetryMs = 10_000;
/** A call without a deadline of its own: as long as nobody waits in a simulation. */
const longestCallMs = 60_000;

export function createConnection(options: ConnectionOptions): ConnectionLike {
  const contexts = new AsyncLocalStorage<CallContext>();
  const within = <R>(context: CallContext, action: () => Promise<R>): Promise<R> =>
    contexts.run({ ...contexts.getStore(), ...context }, action);
  function rpc(
    method: { name: string },
    request: Uint8Array,
    callback: (error: Error | null, answer?: Uint8Array | null) => void,
  ): void {
    const call = { method: method.name, request, ...contexts.getStore() };
    void (async () => {
      try {
        callback(null, await new Call(options, call).answer());
      } catch (error) {
        callback(error instanceof Error ? error : new Error(String(error)));
      }
    })();
  }
  return {
    workflowService: WorkflowService.create(rpc, false, false),
    operatorService: OperatorService.create(rpc, false, false),
    plugins: [],
    withDeadline: (deadline, action) => within({ deadline: Number(deadline) }, action),
    withMetadata: (_, action) => action(),
    withAbortSignal: (signal, action) => within({ signal }, action),
    ensureConnected: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

class Call {
  readonly #options: ConnectionOptions;
  readonly #call: CallContext & { method: string; request: Uint8Array };

  constructor(
    options: ConnectionOptions,
    call: CallContext & { method: string; request: Uint8Array },
  ) {
    this.#options = options;
    this.#call = call;
  }

  answer(): Promise<Uint8Array> {
    const { process } = this.#options;
    const { deadline, signal } = this.#call;
    const leftMs = deadline === undefined ? longestCallMs : deadline - process.system.now();
    return new Promise((resolve, reject) => {
      const timer = process.after(leftMs, () =>
        reject(new GrpcError('DEADLINE_EXCEEDED', 'Deadline exceeded')),
      );
      const abort = (): void => reject(new GrpcError('CANCELLED', 'Cancelled on client'));
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort, { once: true });
      void this.#withRetries()
        .then(resolve, reject)
        .finally(() => {
          timer.cancel();
          signal?.removeEventListener('abort', abort);
        });
    });
  }

  async #withRetries(): Promise<Uint8Array> {
    const { process } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt();
      } catch (error) {
        const isTransient = error instanceof GrpcError && error.is('UNAVAILABLE');
        if (!isTransient || attempt === attemptsMax) throw error;
        const delayMs = Math.min(longestRetryMs, firstRetryMs * 1.7 ** (attempt - 1));
        await new Promise<void>((resolve) => {
          process.after(delayMs * process.chance.between(0.8, 1.2), resolve);
        });
      }
    }
  }

  async #attempt(): Promise<Uint8Array> {
    const { simulation, process, calls, fateOf, isUp } = this.#options;
    const { method, request } = this.#call;
    try {
      const fate = fateOf({ process, method });
      return await journey(simulation, {
        process,
        fate,
        effect: () => {
          if (!isUp()) throw new GrpcError('UNAVAILABLE', 'No connection established');
          const handle = calls.get(method);
          if (!handle) throw new GrpcError('UNIMPLEMENTED', `unknown method ${method}`);
          return handle(request);
        },
      });
    } catch (error) {
      if (error instanceof ConnectionBroken) throw new GrpcError('UNAVAILABLE', error.message);
      throw error;
    }
  }
}
