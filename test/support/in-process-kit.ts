/**
 * The conformance kit (cli/driver/conformance) without Temporal and Kubernetes: for a driver in
 * TypeScript and the double of its cloud. A call goes through the same activities as in a worker.
 */
import { setImmediate } from 'node:timers/promises';
import { DriverUnderTest } from '../../cli/driver/conformance/driver-under-test.ts';
import type { Finding } from '../../cli/driver/conformance/report.ts';
import { runChecks } from '../../cli/driver/conformance/run.ts';
import type { Asker } from '../../cli/driver/conformance/temporal.ts';
import { Trial } from '../../cli/driver/conformance/trial.ts';
import type { Trouble } from '../../cli/driver/conformance/trouble.ts';
import type { Question, Reply } from '../../cli/driver/conformance/workflow.ts';
import { createClassReader } from '../../activities/machine-class/reader.ts';
import type { Driver } from '../../activities/drivers/driver.ts';
import { withCalls } from '../../activities/drivers/with-calls.ts';
import { hideIn } from '../../activities/redaction/hide.ts';
import { createDriverActivities } from '../../activities/instance.ts';
import { aMachineClass, aSecret, namespace } from './builders.ts';
import { InMemoryClient } from './api-server/in-memory-client.ts';

export interface Subject {
  driver: Driver;
  provider: string;
  providerSpec: Record<string, unknown>;
  /** Of the class, decoded. */
  secret: Record<string, string>;
  /** Each merged into the spec, with the field that is wrong first. */
  badSpecs?: Record<string, unknown>[];
  trouble?: Trouble;
}

export interface KitOptions {
  /** Names of machines and temporary classes begin with it. Default `verify-unit`. */
  run?: string;
  /** UID of the control cluster, which is in the tags of all instances. Default `cluster-1`. */
  cluster?: string;
  /** Aborted: the check that runs is the last one, and the clean-up follows. Default: never. */
  signal?: AbortSignal;
  /** Told of each check when it is over. */
  onFinding?: (finding: Finding) => void;
}

const never = new AbortController().signal;

/** What the kit says; in order. */
export async function findingsOf(subject: Subject, options: KitOptions = {}): Promise<Finding[]> {
  const { driver, provider, providerSpec, secret, badSpecs = [], trouble } = subject;
  const { run = 'verify-unit', cluster = 'cluster-1', signal = never } = options;
  const { onFinding = () => undefined } = options;
  const machineClass = aMachineClass({ provider, providerSpec });
  const kube = new InMemoryClient(machineClass, aSecret({ userData: '', ...secret }));
  const where = { queue: 'in this process', cluster, namespace };
  const trial = new Trial({
    run,
    driver: new DriverUnderTest(askerOf(driver, kube), where),
    kube,
    namespace,
    cluster,
    machineClass,
    secret,
    badSpecs,
    ...(trouble && { trouble }),
  });
  return await runChecks(trial, { signal, onFinding });
}

/** Everything that is not well, in words. */
export async function complaintsOf(subject: Subject): Promise<string[]> {
  const findings = await findingsOf(subject);
  return findings
    .filter(({ result }) => result === 'failed')
    .map(({ check, expected, came }) => `${check}: expected ${expected}, came ${came}`);
}

const isShuttingDown = (): boolean => false;
/** Nothing is ever stopped here. */
const guard = async (): Promise<void> => undefined;

function askerOf(driver: Driver, kube: InMemoryClient): Pick<Asker, 'ask' | 'rest'> {
  const classes = createClassReader({ client: kube, namespace });
  return {
    // The doubles of clouds go by looks, not by the clock.
    rest: async () => undefined,
    async ask(question, interruption) {
      const abort = new AbortController();
      const signal = () => abort.signal;
      const parts = {
        driver: hiding(driver),
        control: kube,
        classes,
        guard,
        signal,
        isShuttingDown,
      };
      const world = { ...parts, audit: () => {} };
      const reply = answerOf(createDriverActivities(world), question);
      if (interruption === undefined) return await reply;
      // It has begun by then.
      await setImmediate();
      if (interruption === 'lose') return undefined;
      abort.abort();
      return await reply;
    },
  };
}

/** As in the pipeline of a worker; without its pace, which is that of a real clock. */
function hiding(driver: Driver): Driver {
  return withCalls(driver, (_operation, call) => async (request) => {
    try {
      return await call(request);
    } catch (error) {
      hideIn(error, request);
      throw error;
    }
  });
}

async function answerOf(
  activities: object,
  { activity, input }: Pick<Question, 'activity' | 'input'>,
): Promise<Reply> {
  const step: unknown = Reflect.get(activities, activity);
  if (typeof step !== 'function') return { came: 'notTaken', message: `no ${activity}` };
  try {
    // As it goes over the wire.
    const answer: unknown = JSON.parse(JSON.stringify(await step(structuredClone(input))));
    return { came: 'answer', answer };
  } catch (error) {
    return { came: 'exception', message: error instanceof Error ? error.message : String(error) };
  }
}
