/**
 * A driver whose cloud takes long: it says so and is asked again, or it blocks, as drivers of the
 * contract's first version do.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { DriverRequest } from '../../../workflows/contracts/driver-contract.ts';
import { driverCalls } from '../../../workflows/contracts/driver-activities.ts';
import { driverQueueOf } from '../../../workflows/contracts/task-queues.ts';
import type { Scenario } from './scenario.ts';
import { testStack } from './test-stack.ts';

export interface SlowCloud {
  /** `pending`: answers at once and is asked again. `blocking`: each call waits for the cloud. */
  manner: 'pending' | 'blocking';
  /** Of each create and each delete. */
  seconds: number;
  /** Calls at once, of each kind. */
  slots: number;
}

export interface SlowDriver {
  /** Machine names, in the order in which the cloud was done with them. */
  readonly created: readonly string[];
  readonly deleted: readonly string[];
  stop(): Promise<void>;
}

export const slowProvider = 'slow';

class Cloud {
  readonly #settings: SlowCloud;
  readonly #doneAt = new Map<string, number>();
  readonly created: string[] = [];
  readonly deleted: string[] = [];

  constructor(settings: SlowCloud) {
    this.#settings = settings;
  }

  async createInstance({ machine, token }: DriverRequest): Promise<object> {
    const waits = await this.#until(`create ${token}`, 'instance is being made');
    if (waits) return waits;
    note(this.created, machine.name);
    const instance = { providerID: `slow:///${token}`, nodeName: machine.name, isFound: false };
    return { outcome: 'created', instance };
  }

  async deleteInstance({ machine, token }: DriverRequest): Promise<object> {
    const waits = await this.#until(`delete ${token}`, 'instance is shutting-down');
    if (waits) return waits;
    const isFound = this.created.includes(machine.name);
    note(this.deleted, machine.name);
    return { outcome: 'deleted', isFound, settleSeconds: 0 };
  }

  async describeInstance({ machine, token }: DriverRequest): Promise<object> {
    const isThere = this.created.includes(machine.name) && !this.deleted.includes(machine.name);
    const instance = { providerID: `slow:///${token}`, nodeName: machine.name };
    return isThere ? { outcome: 'found', instance } : { outcome: 'missing', settleSeconds: 0 };
  }

  /** Undefined once the cloud is done; the first call starts it. */
  async #until(operation: string, message: string): Promise<object | undefined> {
    const { manner, seconds } = this.#settings;
    const doneAt = this.#doneAt.get(operation) ?? Date.now() + seconds * 1_000;
    this.#doneAt.set(operation, doneAt);
    const left = doneAt - Date.now();
    if (left <= 0) return undefined;
    const pollAfterSeconds = Math.min(Math.max(left / 1_000, 1), 10);
    if (manner === 'pending') return { outcome: 'pending', message, pollAfterSeconds };
    await delay(left);
    return undefined;
  }
}

function note(names: string[], name: string): void {
  if (!names.includes(name)) names.push(name);
}

/** Serves the provider `slow` for the scenario's install. */
export async function startSlowDriver(
  scenario: Scenario,
  settings: SlowCloud,
): Promise<SlowDriver> {
  const cloud = new Cloud(settings);
  const connection = await NativeConnection.connect({ address: testStack().temporalAddress });
  const taskQueue = await scenario.taskQueue();
  const activities = {
    createInstance: beating((request: DriverRequest) => cloud.createInstance(request)),
    deleteInstance: beating((request: DriverRequest) => cloud.deleteInstance(request)),
    describeInstance: beating((request: DriverRequest) => cloud.describeInstance(request)),
    validateClass: async () => ({ outcome: 'validated', faults: [] }),
    listInstances: async () => ({ outcome: 'listed', instances: [] }),
    deleteListed: async () => ({ outcome: 'deleted', isFound: false, settleSeconds: 0 }),
    volumeIds: async () => ({ volumeIds: [] }),
  };
  const workers = await Promise.all(
    driverCalls.map((call) =>
      Worker.create({
        connection,
        taskQueue: driverQueueOf(taskQueue, slowProvider, call),
        activities,
        maxConcurrentActivityTaskExecutions: settings.slots,
        maxHeartbeatThrottleInterval: '1s',
        defaultHeartbeatThrottleInterval: '1s',
      }),
    ),
  );
  const runs = workers.map((worker) => worker.run());
  return {
    created: cloud.created,
    deleted: cloud.deleted,
    async stop() {
      for (const worker of workers) worker.shutdown();
      await Promise.all(runs);
      await connection.close();
    },
  };
}

function beating<Input, Answer>(
  call: (input: Input) => Promise<Answer>,
): (input: Input) => Promise<Answer> {
  return async (input) => {
    const context = Context.current();
    const beat = setInterval(() => context.heartbeat(), 1_000);
    try {
      return await call(input);
    } finally {
      clearInterval(beat);
    }
  };
}
