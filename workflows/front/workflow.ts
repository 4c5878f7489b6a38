/** A MachineDeployment of `cluster.k8s.io` and its mirror. */
import {
  ActivityFailure,
  condition,
  proxyActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { FrontActivities, SyncOutcome } from '../contracts/front-activities.ts';
import { poolChanged } from '../contracts/messages.ts';
import type { WorkflowInput } from '../contracts/references.ts';
import { heartbeatSecondsIn } from '../contracts/run-memo.ts';
import { mirroredIdOf } from '../contracts/workflow-ids.ts';
import { messageOf } from '../runtime/activity-options.ts';
import { shouldContinueAsNew } from '../runtime/continue-as-new.ts';
import { ObjectLifecycle } from '../runtime/object-lifecycle.ts';
import { Page } from '../runtime/page.ts';
import { requireInput } from '../runtime/signal-validation.ts';
import { Turns } from '../runtime/turns.ts';
import { WakeTimer } from '../runtime/wake-timer.ts';
import type { Backoff } from '../values/backoff.ts';
import { backoffMs } from '../values/backoff.ts';
import { clip, longestSummaryBytes } from '../values/clip.ts';
import { flag, name, optional } from '../values/schema.ts';
import type { LastPass } from './details.ts';
import { frontDetails } from './details.ts';

/** A rollout changes many objects within moments, and one pass reads all of them. */
const burstMs = 300;
/** More, as a pass lists all of them: in a pool of 2,000 one comes in two seconds at most. */
const burstMsPerMachine = 1;
/** News end the wait after a failure, but not at once: a pass that fails may be what makes them. */
const leastWaitMs = 10_000;

const waits = {
  failed: { firstMs: 1_000, maxMs: 300_000, jitter: 0.5 },
  /** Something is to come that perhaps no signal announces. */
  waits: { firstMs: 30_000, maxMs: 300_000, jitter: 0.2 },
  notServed: { firstMs: 300_000, maxMs: 300_000, jitter: 0.2 },
  /** Templates name Secrets and ConfigMaps of any namespace, which are not watched. */
  current: { firstMs: 900_000, maxMs: 900_000, jitter: 0.2 },
} as const satisfies Record<string, Omit<Backoff, 'attempt'>>;

/** Runs until their MachineDeployment is gone, and all that was made for it. */
export async function front(input: WorkflowInput): Promise<{ reason: string }> {
  return await new FrontWorkflow(requireInput(input)).run();
}

class FrontWorkflow {
  readonly #input: WorkflowInput;
  readonly #lifecycle: ObjectLifecycle;
  readonly #turns = new Turns();
  readonly #page = new Page();
  readonly #timer = new WakeTimer(() => {
    this.#isDue = true;
  });
  /** The time has come that the last pass waits for. */
  #isDue = false;
  /** The next pass is to read all Nodes. */
  #readsNodes = false;
  /** Passes in a row that ended alike. */
  #repeated = 0;
  #last: LastPass | undefined;

  constructor(input: WorkflowInput) {
    this.#input = input;
    this.#lifecycle = new ObjectLifecycle(input);
    // A doubled or late one costs a pass that writes nothing.
    this.#lifecycle.on(poolChanged, { cluster: name, ofNodes: optional(flag) }, ({ ofNodes }) => {
      this.#readsNodes ||= ofNodes === true;
      return true;
    });
    this.#page.hearTheRest([]);
  }

  run(): Promise<{ reason: string }> {
    return this.#lifecycle.run(() => this.#turn());
  }

  async #turn(): Promise<{ reason: string } | undefined> {
    await this.#turns.next();
    const burst = burstMs + (this.#last?.machines ?? 0) * burstMsPerMachine;
    await sleep(burst, { summary: 'lets a burst of changes pass' });
    this.#lifecycle.takeNews();
    this.#isDue = false;
    const pass = await this.#pass();
    // The next object of that name has been seen meanwhile.
    if (pass.state === 'gone' && !this.#lifecycle.hasNews) return { reason: 'all of it is gone' };
    this.#repeated = this.#last?.state === pass.state ? this.#repeated + 1 : 1;
    this.#last = pass;
    await this.#rest(pass);
    return undefined;
  }

  async #pass(): Promise<LastPass> {
    const { ref } = this.#input;
    const readsNodes = this.#readsNodes;
    this.#readsNodes = false;
    const pass = { ref, ...(readsNodes && { readsNodes }) };
    try {
      const outcome = await steps(`compare ${ref.name} with its mirror`).syncPool(pass);
      return { ...outcome, at: Date.now() };
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      this.#readsNodes ||= readsNodes;
      return { ...this.#counts(), state: 'failed', reason: messageOf(error), at: Date.now() };
    }
  }

  #counts(): Pick<SyncOutcome, 'writes' | 'machines'> {
    return { writes: 0, machines: this.#last?.machines ?? 0 };
  }

  async #rest(pass: LastPass): Promise<void> {
    if (pass.state === 'gone') return;
    const wait = backoffMs({ attempt: this.#repeated, ...waits[pass.state] }, Math.random());
    const until = Date.now() + wait;
    const ours = mirroredIdOf(workflowInfo().workflowId);
    this.#page.show(frontDetails(this.#input.ref, { pass, until, ours }));
    if (pass.state === 'failed') {
      await sleep(Math.min(wait, leastWaitMs), {
        summary: clip(pass.reason ?? 'the pass failed', longestSummaryBytes),
      });
    }
    const isWoken = (): boolean => this.#isDue || this.#lifecycle.hasNews;
    this.#timer.set(until, pass.reason ?? 'reads both sides again');
    if (!isWoken()) {
      this.#turns.rested();
      if (shouldContinueAsNew() && !this.#readsNodes) await this.#lifecycle.continueAsNew();
    }
    await condition(isWoken);
    this.#timer.set(undefined, '');
  }
}

/** Not tried again here: the page says why it failed, and when the next one comes. */
function steps(summary: string) {
  return proxyActivities<FrontActivities>({
    startToCloseTimeout: '5m',
    heartbeatTimeout: heartbeatSecondsIn(workflowInfo().memo) * 1_000,
    retry: { maximumAttempts: 1 },
    summary: clip(summary, longestSummaryBytes),
  });
}
