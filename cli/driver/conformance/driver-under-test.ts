/** Asks the driver and keeps what it answered. */
import type { Place } from '../../../workflows/api/place.ts';
import type { DriverActivities } from '../../../workflows/contracts/driver-activities.ts';
import { contractVersion, driverCallOf } from '../../../workflows/contracts/driver-activities.ts';
import type { Pending } from '../../../workflows/contracts/driver-contract.ts';
import { defined } from '../../../workflows/values/defined.ts';
import type { Asker, Interruption } from './temporal.ts';
import { Mismatch } from './verdict.ts';
import type { Activity, Question, Reply } from './workflow.ts';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import schema from '../../../workflows/contracts/driver.schema.json' with { type: 'json' };

export type Input<Name extends Activity> = Omit<
  Parameters<DriverActivities[Name]>[0],
  'contractVersion'
>;
/** Once the cloud is done. */
export type Output<Name extends Activity> = Exclude<
  Awaited<ReturnType<DriverActivities[Name]>>,
  Pending
>;

export interface KeptAnswer {
  activity: Activity;
  answer: unknown;
  /** By the JSON schema. */
  faults: string[];
}

/** An operation that the cloud is never done with. */
const mostPolls = 200;

const inWords = {
  notTaken: 'no worker took the task',
  tooLate: 'no answer, or no heartbeat, within the time limit',
  cancelled: 'the call was reported as cancelled',
  exception: 'an exception, three times',
  notServed: 'the worker does not serve it',
} as const;

export class DriverUnderTest {
  /** In the order in which they came. */
  readonly answers: KeptAnswer[] = [];
  /** Message that was thrown instead of an answer. */
  readonly exceptions: string[] = [];
  readonly #asker: Pick<Asker, 'ask' | 'rest'>;
  readonly #where: Place & { queue: string };

  constructor(asker: Pick<Asker, 'ask' | 'rest'>, where: Place & { queue: string }) {
    this.#asker = asker;
    this.#where = where;
  }

  /** Throws a `Mismatch` when no answer comes, or none that is as the schema says. */
  async ask<Name extends Activity>(activity: Name, input: Input<Name>): Promise<Output<Name>> {
    const reply = await this.#asker.ask(this.#questionOf(activity, input));
    if (!reply) throw new Error('an answer was lost unasked');
    return await this.#followed(activity, input, this.#answerIn(activity, reply));
  }

  /** The same for what a driver need not serve. Undefined when it does not. */
  async askIfServed<Name extends Activity>(
    activity: Name,
    input: Input<Name>,
  ): Promise<Output<Name> | undefined> {
    const reply = await this.#asker.ask(this.#questionOf(activity, input));
    if (reply?.came === 'notServed') return undefined;
    if (!reply) throw new Error('an answer was lost unasked');
    return await this.#followed(activity, input, this.#answerIn(activity, reply));
  }

  /** The same for a call that is disturbed. Undefined when no answer came because of that. */
  async askInVain<Name extends Activity>(
    activity: Name,
    input: Input<Name>,
    interruption: Interruption,
  ): Promise<Output<Name> | undefined> {
    const reply = await this.#asker.ask(this.#questionOf(activity, input), interruption);
    if (!reply || reply.came === 'cancelled') return undefined;
    const answer = this.#answerIn(activity, reply);
    return isPending(answer) ? undefined : answer;
  }

  /** Until the cloud may have done what it is at work with. */
  async rest(seconds: number): Promise<void> {
    await this.#asker.rest(seconds);
  }

  #questionOf(activity: Activity, input: object): Question {
    const { queue, ...place } = this.#where;
    const asked = { contractVersion, ...input };
    return { ...place, queue: `${queue}/${driverCallOf[activity]}`, activity, input: asked };
  }

  /**
   * As the core does: asks again when the driver wants to be asked, with the checkpoint, and each
   * second time as if that were lost.
   */
  async #followed<Name extends Activity>(
    activity: Name,
    input: Input<Name>,
    first: Output<Name> | Pending,
  ): Promise<Output<Name>> {
    let answer = first;
    for (let polls = 0; isPending(answer); polls += 1) {
      if (polls >= mostPolls) throw new Mismatch(`${activity} to end`, answer);
      const { pollAfterSeconds, checkpoint } = answer;
      await this.#asker.rest(pollAfterSeconds);
      const known = { ...input, checkpoint: polls % 2 === 0 ? checkpoint : undefined };
      const question = this.#questionOf(activity, defined(known));
      const reply = await this.#asker.ask(question);
      if (!reply) throw new Error('an answer was lost unasked');
      answer = this.#answerIn(activity, reply);
    }
    return answer;
  }

  #answerIn<Name extends Activity>(activity: Name, reply: Reply): Output<Name> | Pending {
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
): answer is Output<Name> | Pending {
  return faultsOf(activity, answer).length === 0;
}

function isPending(answer: { outcome: string } | object): answer is Pending {
  return 'outcome' in answer && answer.outcome === 'pending';
}

interface Branch {
  properties: { outcome: { const: string } };
}

type BranchOrRef = Branch | { $ref: string };

interface Contract {
  properties: Record<Activity, { properties: { output: { $ref: string } } }>;
  $defs: Record<string, { oneOf?: BranchOrRef[] } & Partial<Branch>>;
}

/** The type that TypeScript finds for the schema has a name for each definition. */
const contract: Contract = Object(schema);
const ajv = new Ajv2020({ allErrors: true, strict: false });
const compiled = new Map<string, ValidateFunction>();

/** A sentence for each fault; empty when the answer is as the schema says. */
export function faultsOf(activity: Activity, answer: unknown): string[] {
  const { $ref } = contract.properties[activity].properties.output;
  const branches = contract.$defs[$ref.slice('#/$defs/'.length)]?.oneOf;
  if (!branches) return faultsBy($ref, answer);
  const outcome: unknown = Object(answer).outcome;
  const names = branches.map(outcomeOf);
  const index = names.findIndex((name) => name === outcome);
  // Errors of the branches that are not meant would hide the one that counts.
  if (index >= 0) return faultsBy(`${$ref}/oneOf/${index}`, answer);
  return [`outcome: ${JSON.stringify(outcome)} is not one of ${names.join(', ')}`];
}

function outcomeOf(branch: BranchOrRef): string | undefined {
  const { properties } =
    '$ref' in branch ? (contract.$defs[branch.$ref.slice('#/$defs/'.length)] ?? {}) : branch;
  return properties?.outcome.const;
}

function faultsBy($ref: string, answer: unknown): string[] {
  const validate = compiled.get($ref) ?? ajv.compile({ $defs: contract.$defs, $ref });
  compiled.set($ref, validate);
  if (validate(answer)) return [];
  return (validate.errors ?? []).map(({ instancePath, message = '', params }) => {
    const allowed: unknown = params['allowedValues'];
    const values = Array.isArray(allowed) ? `: ${allowed.join(', ')}` : '';
    return `${instancePath === '' ? 'the answer' : instancePath.slice(1)} ${message}${values}`;
  });
}
