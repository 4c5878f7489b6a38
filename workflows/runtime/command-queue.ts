/** What people and programs ask of a workflow while it runs: each command is there as a signal and as an update. */
import type { SignalDefinition, UpdateDefinition } from '@temporalio/common';
import { ApplicationFailure, log, setHandler } from '@temporalio/workflow';
import { quoted } from '../api/validation.ts';
import { isRecord } from '../values/shape.ts';

export interface Asked<Command> {
  command: Command;
  /** Absent for a signal: nobody waits for an answer. */
  answer?: { resolve(words: string): void; reject(error: unknown): void };
}

/** Handlers only write down what was asked; the workflow's loop does it, one after the other. */
export class CommandQueue<Command extends { verb: string }> {
  readonly #queue: Asked<Command>[] = [];
  readonly #faultOf: (command: Command) => string | undefined;
  readonly #wake: () => void;
  #end: string | undefined;

  /**
   * @param faultOf What is wrong with a command, in words that say what to do; undefined when it can be tried.
   * @param wake Called when something was asked.
   */
  constructor(faultOf: (command: Command) => string | undefined, wake: () => void = () => {}) {
    this.#faultOf = faultOf;
    this.#wake = wake;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  next(): Asked<Command> | undefined {
    return this.#queue.shift();
  }

  /** The object is gone: whoever waits is told, and so is whoever asks from now on. */
  refuseAll(reason: string): void {
    this.#end = reason;
    for (const { answer } of this.#queue.splice(0)) answer?.reject(refusal(reason));
  }

  protected listen<Wish>(
    signal: SignalDefinition<[Wish]>,
    update: UpdateDefinition<string, [Wish]>,
    commandOf: (wish: Wish) => Command,
  ): void {
    const read = (wish: Wish): Command => commandOf(knownPart(wish));
    setHandler(signal, (wish) => this.#note(wish, read(wish)));
    setHandler(update, (wish) => this.#ask(read(wish)), {
      validator: (wish) => this.#check(wish, read(wish)),
    });
  }

  /** A signal cannot be answered: one that makes no sense is left out. */
  #note(wish: unknown, command: Command): void {
    const fault = wishFault(wish) ?? this.#faultIn(command);
    if (fault === undefined) this.#add({ command });
    else log.warn('a command by signal was left out', { verb: command.verb, fault });
  }

  #ask(command: Command): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#add({ command, answer: { resolve, reject } });
    });
  }

  #add(asked: Asked<Command>): void {
    this.#queue.push(asked);
    this.#wake();
  }

  #check(wish: unknown, command: Command): void {
    const fault = wishFault(wish) ?? this.#faultIn(command);
    if (fault !== undefined) throw refusal(fault);
  }

  #faultIn(command: Command): string | undefined {
    return this.#end ?? this.#faultOf(command);
  }
}

const fields = new Set(['by', 'minutes', 'replicas', 'revision']);
const longestCaller = 200;

/** What else somebody sends is of no use, and would stand in the history. */
function knownPart<Wish>(wish: Wish): Wish;
function knownPart(wish: unknown): unknown {
  if (!isRecord(wish)) return {};
  return Object.fromEntries(Object.entries(wish).filter(([field]) => fields.has(field)));
}

/** Whoever has nothing to say may leave it out. */
function wishFault(wish: unknown): string | undefined {
  if (wish === undefined || wish === null) return undefined;
  if (!isRecord(wish)) return `${quoted(wish)}: must be an object such as {"by": "Ada"}`;
  const { by } = wish;
  if (by === undefined) return undefined;
  if (typeof by !== 'string') return 'by: must be a text';
  return by.length > longestCaller ? `by: must be at most ${longestCaller} characters` : undefined;
}

export function refusal(reason: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(reason, 'Refused');
}
