/** What people and programs ask of a rollout while it runs. */
import { ApplicationFailure, log, setHandler } from '@temporalio/workflow';
import type { RolloutCommand } from './messages.ts';
import {
  pauseSignal,
  pauseUpdate,
  resumeSignal,
  resumeUpdate,
  rollbackSignal,
  rollbackUpdate,
  setReplicasSignal,
  setReplicasUpdate,
} from './messages.ts';
import type { DeploymentFacts } from './plan/rollout/facts.ts';

interface Asked {
  command: RolloutCommand;
  /** Absent for a signal: nobody waits for an answer. */
  answer?: { resolve(words: string): void; reject(error: unknown): void };
}

/** Handlers only write down what was asked; the workflow's loop does it, one after the other. */
export class RolloutCommands {
  readonly #queue: Asked[] = [];
  readonly #facts: () => DeploymentFacts | undefined;
  #end: string | undefined;

  /** @param facts What is known now, to refuse an update before it begins. */
  constructor(facts: () => DeploymentFacts | undefined) {
    this.#facts = facts;
    this.#listen();
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  next(): Asked | undefined {
    return this.#queue.shift();
  }

  /** The object is gone: whoever waits is told, and so is whoever asks from now on. */
  refuseAll(reason: string): void {
    this.#end = reason;
    for (const { answer } of this.#queue.splice(0)) answer?.reject(refusal(reason));
  }

  #listen(): void {
    setHandler(pauseSignal, (caller) => this.#note({ ...caller, verb: 'pause' }));
    setHandler(resumeSignal, (caller) => this.#note({ ...caller, verb: 'resume' }));
    setHandler(rollbackSignal, (wish) => this.#note({ ...wish, verb: 'rollback' }));
    setHandler(setReplicasSignal, (wish) => this.#note({ ...wish, verb: 'setReplicas' }));
    setHandler(pauseUpdate, (caller) => this.#ask({ ...caller, verb: 'pause' }), {
      validator: (caller) => this.#check({ ...caller, verb: 'pause' }),
    });
    setHandler(resumeUpdate, (caller) => this.#ask({ ...caller, verb: 'resume' }), {
      validator: (caller) => this.#check({ ...caller, verb: 'resume' }),
    });
    setHandler(rollbackUpdate, (wish) => this.#ask({ ...wish, verb: 'rollback' }), {
      validator: (wish) => this.#check({ ...wish, verb: 'rollback' }),
    });
    setHandler(setReplicasUpdate, (wish) => this.#ask({ ...wish, verb: 'setReplicas' }), {
      validator: (wish) => this.#check({ ...wish, verb: 'setReplicas' }),
    });
  }

  /** A signal cannot be answered: one that makes no sense is left out. */
  #note(command: RolloutCommand): void {
    const fault = this.#faultOf(command);
    if (fault === undefined) this.#queue.push({ command });
    else log.warn('a command by signal was left out', { ...command, fault });
  }

  #ask(command: RolloutCommand): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ command, answer: { resolve, reject } });
    });
  }

  #check(command: RolloutCommand): void {
    const fault = this.#faultOf(command);
    if (fault !== undefined) throw refusal(fault);
  }

  #faultOf(command: RolloutCommand): string | undefined {
    return this.#end ?? faultOf(command, this.#facts());
  }
}

export function refusal(reason: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(reason, 'Refused');
}

/** The API's own limit. */
const mostReplicas = 2 ** 31 - 1;

/** What is wrong with a command, in words that say what to do; undefined when it can be tried. */
export function faultOf(
  command: RolloutCommand,
  facts: DeploymentFacts | undefined,
): string | undefined {
  if (facts?.isDeleting) return 'the MachineDeployment is being deleted';
  if (command.by !== undefined && typeof command.by !== 'string') return 'by: must be a text';
  if (command.verb === 'setReplicas') return replicasFault(command.replicas);
  return command.verb === 'rollback' ? rollbackFault(command.revision, facts) : undefined;
}

function replicasFault(replicas: unknown): string | undefined {
  const isFit = isWhole(replicas) && replicas <= mostReplicas;
  return isFit
    ? undefined
    : `replicas: ${JSON.stringify(replicas)}: must be a whole number of 0 or more`;
}

function rollbackFault(revision: unknown, facts: DeploymentFacts | undefined): string | undefined {
  if (revision !== undefined && !isWhole(revision)) {
    return `revision: ${JSON.stringify(revision)}: must be a whole number, or 0 for the one before`;
  }
  if (!facts) return undefined;
  if (facts.isPaused) return 'the MachineDeployment is paused: resume it, then roll back';
  const known = facts.sets.map((set) => set.revision).filter((number) => number > 0);
  if (!revision || known.includes(revision)) return undefined;
  return `revision: ${revision}: no MachineSet has it; known are ${known.join(', ') || 'none'}`;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
