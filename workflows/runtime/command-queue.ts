/** Commands of people and programs to a workflow while it runs: each is a signal and an update. */
import type { SignalDefinition, UpdateDefinition } from '@temporalio/common';
import { ApplicationFailure, log, patched, setHandler, workflowInfo } from '@temporalio/workflow';
import { quoted } from '../api/validation.ts';
import type { Caller } from '../contracts/commands.ts';
import { generationFault } from '../contracts/commands.ts';
import type { WrittenCommand } from '../contracts/written-command.ts';
import { longestWrittenCommand } from '../api/command-verbs.ts';
import type { RefusedCommand } from '../contracts/machine-activities.ts';
import { localFirst, messageOf } from './activity-options.ts';
import type { Page } from './page.ts';
import { clip } from '../values/clip.ts';
import { isRecord } from '../values/is-record.ts';

export interface PendingCommand<Command> {
  command: Command;
  /** The annotation that asks for it. */
  written?: string;
  /** Length of the history then; absent for an annotation. */
  heardAt?: number;
  /** Absent for a signal, which gets no answer. */
  answer?: { resolve(words: string): void; reject(error: unknown): void };
}

type RefusedText = Omit<RefusedCommand, 'object'>;

interface Definition<Payload, Command> {
  signal: SignalDefinition<[Payload]>;
  update: UpdateDefinition<string, [Payload]>;
  description: string;
  fields: readonly string[];
  commandOf: (payload: Payload) => Command;
}

interface QueueOptions {
  /** Called when something was asked. */
  wake?: () => void;
  /** Generation of the object; undefined, as by default, where the activity alone knows it. */
  knownGeneration?: () => number | undefined;
}

/** Handlers only write down what was asked; the workflow's loop does it, one after the other. */
export class CommandQueue<Command extends Caller & { verb: string }> {
  readonly #queue: PendingCommand<Command>[] = [];
  readonly #refused: RefusedText[] = [];
  readonly #fields = new Map<string, readonly string[]>();
  readonly #errorOf: (command: Command) => string | undefined;
  readonly #page: Page;
  readonly #wake: () => void;
  readonly #knownGeneration: () => number | undefined;
  #end: string | undefined;

  /**
   * @param errorOf What is wrong with a command, in words that say what to do; undefined when it
   *   can be tried.
   * @param page Says which signal was left out.
   */
  constructor(
    errorOf: (command: Command) => string | undefined,
    page: Page,
    { wake = () => {}, knownGeneration = () => undefined }: QueueOptions = {},
  ) {
    this.#errorOf = errorOf;
    this.#page = page;
    this.#wake = wake;
    this.#knownGeneration = knownGeneration;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0 && this.#refused.length === 0;
  }

  /** Such a command waits to be done. */
  isAsked(verb: Command['verb']): boolean {
    return this.#queue.some(({ command }) => command.verb === verb);
  }

  next(): PendingCommand<Command> | undefined {
    return this.#queue.shift();
  }

  /**
   * The object carries this command. It is heard again and again until it is removed, by the write
   * that does it.
   */
  hear(written: string, read: (text: string) => WrittenCommand<Command>): void {
    const isKnown = this.#queue.some((pending) => pending.written === written);
    if (isKnown || this.#refused.some((one) => one.written === written)) return;
    const found = read(clip(written, longestWrittenCommand + 4));
    const fault = 'fault' in found ? found.fault : this.#errorInWritten(found.command);
    if ('command' in found && fault === undefined) this.#add({ command: found.command, written });
    else this.#refused.push({ written, fault: fault ?? '' });
    this.#wake();
  }

  /** A command on the object that cannot be done. */
  nextRefused(): RefusedText | undefined {
    return this.#refused.shift();
  }

  /** The object is gone: refuses the commands that wait, and all that come later. */
  refuseAll(reason: string): void {
    this.#end = reason;
    for (const { answer } of this.#queue.splice(0)) answer?.reject(refusal(reason));
  }

  protected listen<Payload>(definition: Definition<Payload, Command>): void {
    const { signal, update, description, fields, commandOf } = definition;
    this.#fields.set(update.name, fields);
    const read = (payload: Payload): Command => commandOf(knownFields(payload, fields));
    setHandler(signal, (payload) => this.#note(payload, read(payload)), { description });
    setHandler(update, (payload) => this.#ask(read(payload)), {
      description,
      validator: (payload) => this.#check(payload, read(payload)),
    });
  }

  /** A signal cannot be answered: one that makes no sense is left out. */
  #note(payload: unknown, command: Command): void {
    const { verb } = command;
    const error = payloadError(payload) ?? this.#unknownIn(payload, verb) ?? this.#errorIn(command);
    if (error === undefined) return this.#add({ command, heardAt: historyLength() });
    log.warn('a command by signal was left out', { verb, fault: error });
    this.#page.noteLeftOut(verb, error);
  }

  #ask(command: Command): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#add({ command, heardAt: historyLength(), answer: { resolve, reject } });
    });
  }

  #add(asked: PendingCommand<Command>): void {
    this.#queue.push(asked);
    this.#wake();
  }

  #check(payload: unknown, command: Command): void {
    const error =
      payloadError(payload) ??
      unknownField(payload, this.#fieldsOf(command.verb)) ??
      this.#outdated(command) ??
      this.#errorIn(command);
    if (error !== undefined) throw refusal(error);
  }

  /** The caller may have seen a later one than this run. */
  #outdated({ ifGeneration }: Command): string | undefined {
    const known = this.#knownGeneration();
    if (ifGeneration === undefined || known === undefined || ifGeneration >= known)
      return undefined;
    return generationFault(ifGeneration, known);
  }

  #errorInWritten(command: Command): string | undefined {
    const { verb, ...payload } = command;
    const { ifGeneration } = command;
    return (
      generationError(ifGeneration) ?? this.#unknownIn(payload, verb) ?? this.#errorIn(command)
    );
  }

  /** Version 0.1.0 dropped such a field, and did the rest. */
  #unknownIn(payload: unknown, verb: string): string | undefined {
    const fault = unknownField(payload, this.#fieldsOf(verb));
    return fault !== undefined && patched('refuse-unknown-fields') ? fault : undefined;
  }

  #fieldsOf(verb: string): readonly string[] {
    return this.#fields.get(verb) ?? [];
  }

  #errorIn(command: Command): string | undefined {
    return this.#end ?? this.#errorOf(command);
  }
}

const longestCaller = 200;

/** Others are refused; what was taken before they were stands in histories. */
function knownFields<Payload>(payload: Payload, fields: readonly string[]): Payload;
function knownFields(payload: unknown, fields: readonly string[]): unknown {
  if (!isRecord(payload)) return {};
  return Object.fromEntries(Object.entries(payload).filter(([field]) => fields.includes(field)));
}

/** It may be the one that matters, misspelt: a rollback without it goes to another revision. */
function unknownField(payload: unknown, fields: readonly string[]): string | undefined {
  const unknown = Object.keys(isRecord(payload) ? payload : {}).find(
    (key) => !fields.includes(key),
  );
  if (unknown === undefined) return undefined;
  return `field ${quoted(unknown)}: must be ${fields.join(' or ')}`;
}

/** A command without options may come without a payload. */
function payloadError(payload: unknown): string | undefined {
  if (payload === undefined || payload === null) return undefined;
  if (!isRecord(payload)) return `${quoted(payload)}: must be an object such as {"by": "Ada"}`;
  const { by, ifGeneration } = payload;
  const error = generationError(ifGeneration);
  if (error !== undefined || by === undefined) return error;
  if (typeof by !== 'string') return 'by: must be a text';
  return by.length > longestCaller ? `by: must be at most ${longestCaller} characters` : undefined;
}

function generationError(generation: unknown): string | undefined {
  const isFit =
    generation === undefined || (Number.isSafeInteger(generation) && Number(generation) > 0);
  return isFit
    ? undefined
    : `ifGeneration: ${quoted(generation)}: must be the metadata.generation that was seen, a whole number of 1 or more`;
}

function historyLength(): number {
  return workflowInfo().historyLength;
}

export function refusal(reason: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(reason, 'Refused');
}

/** It stays on the object where even that fails, and is heard again with the next change. */
export async function refuseOnObject(refused: RefusedCommand): Promise<void> {
  try {
    await localFirst((port) => port.refuseCommand(refused), 'refuse a command');
  } catch (error) {
    log.warn('a command on the object could not be refused', { reason: messageOf(error) });
  }
}
