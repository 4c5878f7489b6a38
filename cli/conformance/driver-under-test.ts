/** Asks the driver and keeps what it answered. */
import type { DriverActivities } from '../../workflows/driver-port.ts';
import { faultsOf } from './contract.ts';
import type { Asker, Interruption } from './temporal.ts';
import { Mismatch } from './verdict.ts';
import type { Activity, Reply } from './workflow.ts';

export type Input<Name extends Activity> = Parameters<DriverActivities[Name]>[0];
export type Output<Name extends Activity> = Awaited<ReturnType<DriverActivities[Name]>>;

export interface KeptAnswer {
  activity: Activity;
  answer: unknown;
  /** By the JSON schema. */
  faults: string[];
}

const inWords = {
  nobody: 'no worker took the task',
  tooLate: 'no answer, or no heartbeat, within the time limit',
  cancelled: 'the call was reported as cancelled',
  exception: 'an exception, three times',
} as const;

export class DriverUnderTest {
  /** In the order in which they came. */
  readonly answers: KeptAnswer[] = [];
  /** What was thrown instead of an answer. */
  readonly exceptions: string[] = [];
  readonly #asker: Pick<Asker, 'ask'>;
  readonly #queue: string;

  constructor(asker: Pick<Asker, 'ask'>, queue: string) {
    this.#asker = asker;
    this.#queue = queue;
  }

  /** Throws a `Mismatch` when no answer comes, or none that is as the schema says. */
  async ask<Name extends Activity>(activity: Name, input: Input<Name>): Promise<Output<Name>> {
    const reply = await this.#asker.ask({ activity, queue: this.#queue, input });
    if (!reply) throw new Error('an answer was lost unasked');
    return this.#answerIn(activity, reply);
  }

  /** The same for a call that is disturbed. Undefined when no answer came because of that. */
  async askInVain<Name extends Activity>(
    activity: Name,
    input: Input<Name>,
    interruption: Interruption,
  ): Promise<Output<Name> | undefined> {
    const reply = await this.#asker.ask({ activity, queue: this.#queue, input }, interruption);
    if (!reply || reply.came === 'cancelled') return undefined;
    return this.#answerIn(activity, reply);
  }

  #answerIn<Name extends Activity>(activity: Name, reply: Reply): Output<Name> {
    if (reply.came !== 'answer') {
      if (reply.came === 'exception') this.exceptions.push(`${activity}: ${reply.message}`);
      throw new Mismatch(`an answer of ${activity}`, `${inWords[reply.came]}: ${reply.message}`);
    }
    const { answer } = reply;
    const faults = faultsOf(activity, answer);
    this.answers.push({ activity, answer, faults });
    if (isAnswerOf(activity, answer)) return answer;
    throw new Mismatch(
      `an answer of ${activity} as the schema says`,
      `${JSON.stringify(answer)}: ${faults.join('; ')}`,
    );
  }
}

function isAnswerOf<Name extends Activity>(
  activity: Name,
  answer: unknown,
): answer is Output<Name> {
  return faultsOf(activity, answer).length === 0;
}
