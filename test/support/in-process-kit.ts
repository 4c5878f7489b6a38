/**
 * The conformance kit (cli/conformance) without Temporal and Kubernetes: for a driver in TypeScript and the double of its cloud. A call
 * goes through the same activities as in a worker.
 */
import { setImmediate } from 'node:timers/promises';
import { DriverUnderTest } from '../../cli/conformance/driver-under-test.ts';
import type { Finding } from '../../cli/conformance/report.ts';
import { runChecks } from '../../cli/conformance/run.ts';
import type { Asker } from '../../cli/conformance/temporal.ts';
import { Trial } from '../../cli/conformance/trial.ts';
import type { Question, Reply } from '../../cli/conformance/workflow.ts';
import { createClassReader } from '../../activities/class-reader.ts';
import type { Driver } from '../../activities/drivers/driver.ts';
import { createDriverActivities } from '../../activities/instance.ts';
import { aMachineClass, aSecret, namespace } from './builders.ts';
import { MemoryKube } from './memory-kube.ts';

export interface Subject {
  driver: Driver;
  provider: string;
  providerSpec: Record<string, unknown>;
  /** Of the class, decoded. */
  secret: Record<string, string>;
  /** Each merged into the spec, with the field that is wrong first. */
  badSpecs?: Record<string, unknown>[];
}

/** What the kit says; in order. */
export async function findingsOf(subject: Subject): Promise<Finding[]> {
  const { driver, provider, providerSpec, secret, badSpecs = [] } = subject;
  const machineClass = aMachineClass({ provider, providerSpec });
  const kube = new MemoryKube(machineClass, aSecret({ userData: '', ...secret }));
  const trial = new Trial({
    run: 'verify-unit',
    driver: new DriverUnderTest(askerOf(driver, kube), 'in this process'),
    kube,
    namespace,
    cluster: 'cluster-1',
    machineClass,
    secret,
    badSpecs,
  });
  const { signal } = new AbortController();
  return await runChecks(trial, { signal, onFinding: () => undefined });
}

/** Everything that is not well, in words. */
export async function complaintsOf(subject: Subject): Promise<string[]> {
  const findings = await findingsOf(subject);
  return findings
    .filter(({ result }) => result === 'failed')
    .map(({ check, expected, came }) => `${check}: expected ${expected}, came ${came}`);
}

/** Nothing is ever stopped here. */
const requireLicence = async (): Promise<void> => undefined;

function askerOf(driver: Driver, kube: MemoryKube): Pick<Asker, 'ask'> {
  const classes = createClassReader({ client: kube, namespace });
  return {
    async ask(question, interruption) {
      const abort = new AbortController();
      const signal = () => abort.signal;
      const world = { driver, control: kube, classes, requireLicence, signal };
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

async function answerOf(
  activities: object,
  { activity, input }: Pick<Question, 'activity' | 'input'>,
): Promise<Reply> {
  const step: unknown = Reflect.get(activities, activity);
  if (typeof step !== 'function') return { came: 'nobody', message: `no ${activity}` };
  try {
    // As it goes over the wire.
    const answer: unknown = JSON.parse(JSON.stringify(await step(structuredClone(input))));
    return { came: 'answer', answer };
  } catch (error) {
    return { came: 'exception', message: error instanceof Error ? error.message : String(error) };
  }
}
