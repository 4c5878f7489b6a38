/** One workflow that takes the steps of a script, and notes what it sees. */
import {
  ActivityCancellationType,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setDefaultSignalHandler,
  setHandler,
  sleep,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { describeFailure } from './describe-failure.ts';
import { retryOf } from './retry.ts';
import type { ActivityStep, AttemptPlan, EndingStep, LastingStep, Step } from './script.ts';

interface Activities {
  scripted(label: string, attempts: readonly AttemptPlan[]): Promise<string>;
}

export interface ScriptedInput {
  steps: readonly Step[];
  /** What earlier runs saw. */
  log: readonly string[];
}

const plainUpdate = defineUpdate<string, [string]>('plain');
const slowUpdate = defineUpdate<string, [string]>('slow');
const failingUpdate = defineUpdate<string, [string]>('failing');
const refusedUpdate = defineUpdate<string, [string]>('refused');
const logQuery = defineQuery<string[]>('log');
const stateKey = defineSearchAttributeKey('State', SearchAttributeType.KEYWORD);

export async function scripted(input: ScriptedInput): Promise<string[]> {
  return await new Interpreter(input).run();
}

class Interpreter {
  readonly #steps: readonly Step[];
  readonly #log: string[];
  readonly #heard = new Map<string, number>();
  #wasCancelled = false;

  constructor({ steps, log }: ScriptedInput) {
    this.#steps = steps;
    this.#log = [...log, `run ${workflowInfo().attempt}`];
  }

  async run(): Promise<string[]> {
    setHandler(logQuery, () => this.#log);
    setDefaultSignalHandler((name) => {
      this.#note('', `heard ${name}`);
      this.#heard.set(name, (this.#heard.get(name) ?? 0) + 1);
    });
    this.#hearUpdates();
    CancellationScope.current().cancelRequested.catch(() => {
      this.#wasCancelled = true;
      this.#note('', 'is to be cancelled');
    });
    await this.#takeAll(this.#steps, '');
    return this.#log;
  }

  #hearUpdates(): void {
    const answer = (name: string): string => {
      this.#note('', `is asked ${name}`);
      return `${name} is done`;
    };
    setHandler(plainUpdate, answer);
    setHandler(slowUpdate, async (name) => {
      await sleep(500);
      return answer(name);
    });
    setHandler(failingUpdate, (name): string => {
      answer(name);
      throw ApplicationFailure.nonRetryable('it cannot', 'Impossible');
    });
    setHandler(refusedUpdate, answer, {
      validator: (name: string): void => {
        if (name !== '') throw ApplicationFailure.nonRetryable('not now', 'Refused');
      },
    });
  }

  #note(place: string, text: string): void {
    this.#log.push(place === '' ? text : `${place} ${text}`);
  }

  async #takeAll(steps: readonly Step[], place: string): Promise<void> {
    for (const [index, step] of steps.entries()) {
      const own = place === '' ? String(index) : `${place}.${index}`;
      await this.#take(step, own);
    }
  }

  async #take(step: Step, place: string): Promise<void> {
    if (isEnding(step)) await this.#end(step);
    else await this.#tolerate(place, step.do, () => this.#do(step, place));
  }

  async #end(step: EndingStep): Promise<void> {
    switch (step.do) {
      case 'continue':
        return await continueAsNew<typeof scripted>({ steps: step.steps, log: this.#log });
      case 'fail':
        throw failureOf(step, this.#log);
      case 'confess':
        return await this.#confess();
      case 'break':
        return breakTask(step.forMs);
      case 'rethrow':
        await this.#activity(step.step);
    }
  }

  async #confess(): Promise<void> {
    // Rejects with what the run was cancelled with.
    if (this.#wasCancelled) await CancellationScope.current().cancelRequested;
  }

  /** Notes how it went, so that the run goes on after an error. */
  async #tolerate(place: string, what: string, body: () => Promise<string>): Promise<void> {
    try {
      this.#note(place, `${what}: ${await body()}`);
    } catch (error) {
      this.#note(place, `${what} failed: ${describeFailure(error)}`);
    }
  }

  async #do(step: LastingStep, place: string): Promise<string> {
    switch (step.do) {
      case 'activity':
      case 'local':
        return `${step.label} ${await this.#activity(step)}`;
      case 'sleep':
        await sleep(step.ms);
        return 'over';
      case 'await':
        return await this.#waitFor(step.signal, step.withinMs);
      case 'parallel':
        await this.#parallel(step.branches, place);
        return 'all over';
      case 'cancel':
        return await this.#cancel(step, place);
      case 'shield':
        await CancellationScope.nonCancellable(() => this.#takeAll(step.body, place));
        return 'over';
      case 'state':
        upsertSearchAttributes([{ key: stateKey, value: step.value }]);
        return step.value;
      case 'memo':
        upsertMemo({ note: step.value });
        return step.value;
    }
  }

  async #parallel(branches: readonly (readonly Step[])[], place: string): Promise<void> {
    await Promise.all(
      branches.map((steps, index) => this.#takeAll(steps, `${place}${letterOf(index)}`)),
    );
  }

  async #waitFor(signal: string, withinMs?: number): Promise<string> {
    const take = (): boolean => {
      const heard = this.#heard.get(signal) ?? 0;
      if (heard > 0) this.#heard.set(signal, heard - 1);
      return heard > 0;
    };
    if (withinMs === undefined) await condition(take);
    else if (!(await condition(take, withinMs))) return `${signal} did not come`;
    return `${signal} came`;
  }

  async #cancel(
    { body, until }: { body: readonly Step[]; until: readonly Step[] },
    place: string,
  ): Promise<string> {
    const scope = new CancellationScope();
    const over = scope.run(() => this.#takeAll(body, `${place}a`));
    // It may end with an error before it is awaited.
    over.catch(() => undefined);
    await this.#takeAll(until, `${place}b`);
    scope.cancel();
    await over;
    return 'over';
  }

  async #activity(step: ActivityStep): Promise<string> {
    const { label, attempts } = step;
    return await proxyOf(step).scripted(label, attempts);
  }
}

const endings = new Set<string>(['continue', 'fail', 'confess', 'break', 'rethrow']);

function isEnding(step: Step): step is EndingStep {
  return endings.has(step.do);
}

function letterOf(index: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + index);
}

function proxyOf(step: ActivityStep): Activities {
  const { startToClose, scheduleToClose, scheduleToStart, heartbeat, cancellation } = step;
  const options = {
    ...(startToClose !== undefined && { startToCloseTimeout: startToClose }),
    ...(scheduleToClose !== undefined && { scheduleToCloseTimeout: scheduleToClose }),
    ...(scheduleToStart !== undefined && { scheduleToStartTimeout: scheduleToStart }),
    ...(cancellation && { cancellationType: ActivityCancellationType[cancellation] }),
    retry: retryOf(step.retry),
  };
  if (step.do === 'local') {
    const { localRetryThreshold } = step;
    return proxyLocalActivities<Activities>({
      ...options,
      ...(localRetryThreshold !== undefined && { localRetryThreshold }),
    });
  }
  return proxyActivities<Activities>({
    ...options,
    activityId: step.label,
    ...(heartbeat !== undefined && { heartbeatTimeout: heartbeat }),
    ...(step.isUnserved === true && { taskQueue: `${workflowInfo().taskQueue}-unserved` }),
  });
}

function failureOf(
  step: { type: string; isFinal?: boolean; nextDelayMs?: number },
  log: readonly string[],
): ApplicationFailure {
  const { type, isFinal = false, nextDelayMs } = step;
  return ApplicationFailure.create({
    message: 'as the script says',
    type,
    nonRetryable: isFinal,
    details: [log],
    ...(nextDelayMs !== undefined && { nextRetryDelay: nextDelayMs }),
  });
}

/** A later attempt of the task has a later time, which a replay sees alone. */
function breakTask(forMs: number): void {
  const sinceStart = new Date().getTime() - workflowInfo().runStartTime.getTime();
  if (sinceStart < forMs) throw new Error('as the script says');
}
