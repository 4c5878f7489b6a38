/** `millwright driver verify`: the conformance kit. */
import { randomBytes } from 'node:crypto';
import { createClassReader } from '../../activities/machine-class/reader.ts';
import type { ClassWithSecret } from '../../activities/machine-class/reader.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { Contract } from './conformance/contract.ts';
import { DriverUnderTest } from './conformance/driver-under-test.ts';
import type { Verdict, Report, Subject } from './conformance/report.ts';
import { heading, lineOf, reportOf, totals } from './conformance/report.ts';
import { runChecks } from './conformance/run.ts';
import type { Asker } from './conformance/temporal.ts';
import { startAsker } from './conformance/temporal.ts';
import { Trial } from './conformance/trial.ts';
import { troubleBy } from './conformance/trouble.ts';
import type { Answer } from '../command-line/answer.ts';
import { finishing } from '../command-line/closed-output.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type { TemporalOptions } from '../command-line/options.ts';
import type { QueueOptions } from './queue.ts';
import { driverCalls } from '../../workflows/contracts/driver-activities.ts';
import { clusterOf, queuesOf } from './queue.ts';
import { temporalSettingsOf } from '../connection/temporal.ts';
import { UsageError } from '../command-line/usage-error.ts';

export interface VerifyOptions extends QueueOptions, TemporalOptions {
  /** Undefined: that of the install. */
  queue?: string | undefined;
  /** Undefined: the only class of the provider. */
  className?: string | undefined;
  badSpecs: readonly Record<string, unknown>[];
  /** Shell command that arranges troubles of the cloud; undefined: none can be arranged. */
  trouble?: string | undefined;
  /** Default all of ours. */
  contract?: Contract;
}

export async function verify(scope: ClusterScope, options: VerifyOptions): Promise<Answer> {
  const settings = temporalSettingsOf(options, process.env);
  const subject = await classOf(scope, options);
  const run = `verify-${randomBytes(3).toString('hex')}`;
  const asker = await startAsker(settings, run);
  try {
    const report = await verifyWith(asker, { scope, options, subject, run });
    return { text: totals(report), data: report, exitCode: report.isPassed ? 0 : 1 };
  } finally {
    await asker.close();
  }
}

/** The class that is asked for, with its Secret. */
async function classOf(
  { kube, namespace }: ClusterScope,
  options: VerifyOptions,
): Promise<ClassWithSecret> {
  const { provider } = options;
  const className = options.className ?? (await onlyClassOf({ kube, namespace }, provider));
  const reader = createClassReader({ client: kube, namespace });
  const found = await reader.read(className, { isFresh: true });
  if (!found) throw new Error(`MachineClass ${namespace}/${className} does not exist`);
  if (found.machineClass.provider !== provider) {
    const other = found.machineClass.provider ?? '';
    throw new Error(`MachineClass ${namespace}/${className} is of provider "${other}"`);
  }
  if (found.secretFaults.length === 0) return found;
  throw new Error(`MachineClass ${namespace}/${className}: ${found.secretFaults.join('; ')}`);
}

async function onlyClassOf({ kube, namespace }: ClusterScope, provider: string): Promise<string> {
  const { items } = await kube.list<MachineClass>(customResource('machineclasses', namespace));
  const names = items
    .filter((machineClass) => machineClass.provider === provider)
    .map(({ metadata }) => metadata.name);
  const [name, ...others] = names;
  if (name !== undefined && others.length === 0) return name;
  const there = name === undefined ? 'there is none' : `there are ${names.join(', ')}`;
  throw new UsageError(
    `--class is missing: of provider "${provider}" ${there} in namespace ${namespace}`,
  );
}

interface Parts {
  scope: ClusterScope;
  options: VerifyOptions;
  subject: ClassWithSecret;
  run: string;
}

type Asking = Omit<Asker, 'close'>;

export async function verifyWith(
  asker: Asking,
  { scope, options, subject, run }: Parts,
): Promise<Report> {
  const { kube, namespace } = scope;
  const { provider, badSpecs, trouble, output, contract = 'millwright' } = options;
  const queue = options.queue ?? (await queuesOf(scope, options));
  for (const call of driverCalls) await requireServed(asker, `${queue}/${call}`);
  const { machineClass, secret } = subject;
  const cluster = await clusterOf(scope, options);
  const driver = new DriverUnderTest(asker, { queue, cluster, namespace });
  const trial = new Trial({
    run,
    driver,
    kube,
    namespace,
    cluster,
    machineClass,
    secret,
    badSpecs: [...badSpecs],
    contract,
    ...(trouble !== undefined && { trouble: troubleBy(trouble) }),
  });
  const { className } = trial;
  const about: Subject = { provider, queue, namespace, className, contract, run };
  const print = (line: string): void => (output ? undefined : console.log(line));
  print(heading(about));
  const end = new AbortController();
  const onEnd = (): void => end.abort();
  for (const signal of endSignals) process.once(signal, onEnd);
  const onFinding = (finding: Verdict): void => print(lineOf(finding));
  try {
    const checking = () => runChecks(trial, { signal: end.signal, onFinding });
    return reportOf(about, await finishing(checking, onEnd));
  } finally {
    for (const signal of endSignals) process.off(signal, onEnd);
  }
}

/** Also of a terminal that is closed. */
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A worker loads a driver when it sees the first class of its provider. */
const longestStartMs = 30_000;

async function requireServed(asker: Asking, queue: string): Promise<void> {
  const deadline = performance.now() + longestStartMs;
  while (!(await asker.isServed(queue))) {
    if (performance.now() > deadline) {
      throw new Error(
        `no worker serves the task queue ${queue}: start the driver, or name its --queue`,
      );
    }
    await asker.rest(1);
  }
}
