/** Why an object is as it is, for people and for programs. */
import type { Finding, FoundObject } from '../diagnosis/finding.ts';

/** Times in milliseconds. */
export interface Explanation {
  object: FoundObject;
  /** Phase of a machine, or where a rollout is. */
  state: string;
  since?: number | undefined;
  /** Last decision, or last thing seen. */
  decision?: Decision | undefined;
  /** Absent where nothing is awaited. */
  awaits?: Awaited | undefined;
  /** Lines of name and value: what it belongs to, its instance, its Node. */
  facts: readonly Fact[];
  findings: readonly Finding[];
  /** To copy, beside those of the findings. */
  commands: readonly string[];
  /** The latest last. */
  events: readonly SeenEvent[];
  workflow?: WorkflowFacts | undefined;
  /** The end of what an instance has printed that never joined. */
  consoleOutput?: string | undefined;
  /** Gaps in what is known, in sentences. */
  notes: readonly string[];
}

interface Decision {
  text: string;
  at?: number | undefined;
}

export interface Awaited {
  what: string;
  since?: number | undefined;
  until?: number | undefined;
  /** Happens by itself at `until`. */
  sequel?: string | undefined;
}

export interface Fact {
  name: string;
  value: string;
}

export interface SeenEvent {
  at: number;
  type: string;
  reason: string;
  message: string;
  count: number;
}

/** Facts of Temporal. */
export interface WorkflowFacts {
  workflowId: string;
  /** `RUNNING`, `COMPLETED`, ... */
  status: string;
  /** The lines of its page, without the commands; absent where no worker answers. */
  page?: readonly string[] | undefined;
  attempts: readonly ActivityAttempt[];
}

/** An activity that is tried now. */
export interface ActivityAttempt {
  step: string;
  /** From 1. */
  attempt: number;
  /** Milliseconds. */
  nextAt?: number | undefined;
  lastError?: string | undefined;
}
