/**
 * A create or a delete that goes on in the cloud: it is asked again while the workflow sleeps, and
 * what it waits for is said.
 */
import { sleep } from '@temporalio/workflow';
import type { ObjectReference } from '../contracts/references.ts';
import type { Pending } from '../contracts/driver-contract.ts';
import type { MachineState, OperationState } from './state.ts';
import { defined } from '../values/defined.ts';
import type { RunningStep } from '../plan/machine/steps.ts';
import type { OperationFacts } from '../plan/machine/operation.ts';
import { formatOperation } from '../plan/machine/operation.ts';
import { writeLastOperation } from './last-operation.ts';

/** A driver that counts percents is not written down each time, milliseconds. */
const reportEveryMs = 30_000;

/** Operation of the running step: what is left of a cancelled one is for its next attempt. */
export function operationFactsOf(
  { operation }: MachineState,
  running: RunningStep | undefined,
): OperationFacts | undefined {
  if (!operation || !running) return undefined;
  const isOfStep = operation.name === (running.name === 'create' ? 'Create' : 'Delete');
  return isOfStep && stepsWithOperation.has(running.name) ? operation : undefined;
}

/** A worker has taken the task that none was there for. */
export function noteTaken(state: MachineState): void {
  if (state.operation?.waitsFor === 'a worker') delete state.operation;
}

const stepsWithOperation = new Set<RunningStep['name']>([
  'drain',
  'create',
  'findStaleNode',
  'findInstance',
  'deleteInstance',
]);

export interface OperationParts {
  state: MachineState;
  machine: ObjectReference;
  name: OperationState['name'];
  token: string;
  /** The loop shows the state again. */
  onChange: () => void;
}

export class CloudOperation {
  readonly #parts: OperationParts;

  constructor(parts: OperationParts) {
    this.#parts = parts;
  }

  /** Also of an earlier run of the workflow. */
  get checkpoint(): string | undefined {
    return this.#own()?.checkpoint;
  }

  /**
   * Until the driver wants to be asked again, or the deadline (milliseconds). Rejected when the
   * step is cancelled.
   */
  async wait(
    { message, pollAfterSeconds, checkpoint }: Omit<Pending, 'outcome'>,
    deadline = Infinity,
  ): Promise<void> {
    await this.#note(defined({ message, checkpoint: checkpoint ?? this.checkpoint }));
    await sleep(Math.max(Math.min(pollAfterSeconds * 1_000, deadline - Date.now()), 1));
  }

  /** For the step that follows the operation from here on. */
  async handOver({
    message,
    pollAfterSeconds,
    checkpoint,
  }: Omit<Pending, 'outcome'>): Promise<void> {
    await this.#note(defined({ message, checkpoint: checkpoint ?? this.checkpoint }));
    const { operation } = this.#parts.state;
    if (operation) operation.askAt = Date.now() + pollAfterSeconds * 1_000;
  }

  /** An earlier step may have asked a moment ago. */
  async untilItsTurn(): Promise<void> {
    const own = this.#own();
    const { askAt } = own ?? {};
    if (!own || askAt === undefined) return;
    await sleep(Math.max(askAt - Date.now(), 1));
    delete own.askAt;
  }

  /** No worker has taken the task. */
  async sayUntaken(message: string): Promise<void> {
    const { checkpoint } = this;
    await this.#note({ message, waitsFor: 'a worker', ...defined({ checkpoint }) });
  }

  async #note(news: Pick<OperationState, 'message' | 'waitsFor' | 'checkpoint'>): Promise<void> {
    const { message } = news;
    const { state, name, token, onChange } = this.#parts;
    const before = this.#own();
    const since = before?.message === message ? before.since : Date.now();
    const reported = before?.reported;
    state.operation = defined({ ...news, name, token, since, reported });
    onChange();
    await this.#report(state.operation);
  }

  /** It is over, however that was. */
  end(): void {
    const { state, onChange } = this.#parts;
    if (!state.operation) return;
    delete state.operation;
    onChange();
  }

  #own(): OperationState | undefined {
    const { state, name, token } = this.#parts;
    const { operation } = state;
    return operation?.name === name && operation.token === token ? operation : undefined;
  }

  /** The cloud is not asked later because the API server takes no status. */
  async #report(operation: OperationState): Promise<void> {
    const { machine } = this.#parts;
    const { name, message, reported } = operation;
    const now = Date.now();
    if (reported?.message === message || now - (reported?.at ?? 0) < reportEveryMs) return;
    const input = { machine, operation: name, description: `waits ${formatOperation(operation)}` };
    if (await writeLastOperation(input)) operation.reported = { message, at: now };
  }
}
