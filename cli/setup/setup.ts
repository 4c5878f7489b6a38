/** `millwright setup`: makes a Temporal namespace ready for Millwright, and says what it lacks. */
import type { Connection } from '@temporalio/client';
import { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { Environment, TemporalSettings } from '../../workers/config/temporal.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import {
  commandsFor,
  registerSearchAttributes,
  searchAttributeFaults,
  typesMessage,
} from '../../workers/temporal/search-attributes.ts';
import { connectOrExplain, namedTemporalSettings, orMissing } from '../connection/temporal.ts';
import type { Answer } from '../command-line/answer.ts';
import type { OutputOptions, TemporalOptions } from '../command-line/options.ts';
import type { SetupResult } from './steps.ts';
import { askEveryMs, knownWithinMs } from './steps.ts';
import { untilAnswered } from '../connection/until-answered.ts';
import { lineFor } from '../../workers/temporal/current-version.ts';
import { isSameVersion, polls, readQueueVersions } from '../../workers/temporal/queue-status.ts';
import type { WorkerVersion } from '../../workers/temporal/worker-version.ts';
import { ownBuildId } from '../../workers/temporal/worker-version.ts';
import { builtBundle } from '../../workers/temporal/built-bundle.ts';

export interface SetupOptions extends TemporalOptions, OutputOptions {
  /** How long Temporal keeps closed workflows, where the namespace is made. */
  retentionDays: number;
  /** Changes nothing. */
  isCheck: boolean;
  /** Present: only this is done, and the namespace is checked. */
  version?: VersionOptions;
}

/** All calls together: each of the two things that are made may take so long to be known. */
const longestMs = 3 * knownWithinMs;

interface SetupReport {
  address: string;
  namespace: string;
  isReady: boolean;
  findings: readonly SetupResult[];
}

/** Exit code 1: something is missing. */
export async function setup(
  options: SetupOptions,
  env: Environment = process.env,
): Promise<Answer<SetupReport>> {
  const settings = namedTemporalSettings(options, env);
  const connection = await connectOrExplain(settings);
  try {
    const waitMs = (options.version?.waitMinutes ?? 0) * 60_000;
    const findings = await connection.withDeadline(Date.now() + longestMs + waitMs, () =>
      findingsOf(options, settings, connection),
    );
    const isReady = findings.every(({ state }) => state !== 'missing');
    const { address, namespace } = settings;
    const lines = findings.map(({ what, state, text }) => `${state.padEnd(8)}${what}: ${text}`);
    const end = isReady
      ? `Namespace ${namespace} of ${address} is ready.`
      : `Namespace ${namespace} of ${address} is not ready.`;
    const data = { address, namespace, isReady, findings };
    return { text: [...lines, end].join('\n'), data, exitCode: isReady ? 0 : 1 };
  } finally {
    await connection.close();
  }
}

/** An earlier step has found or made what a later one needs. */
async function findingsOf(
  options: SetupOptions,
  { namespace }: TemporalSettings,
  connection: Connection,
): Promise<SetupResult[]> {
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  const server: SetupResult = { what: 'server', state: 'there', text: `version ${serverVersion}` };
  const { version, isCheck } = options;
  // To name a version is to have an install, and no reason to make a namespace of a mistyped name.
  const ofNamespace = await ensureNamespace(
    { ...options, isCheck: isCheck || version !== undefined },
    namespace,
    connection,
  );
  if (ofNamespace.state === 'missing') return [server, ofNamespace];
  if (version) {
    const temporal = new Client({ connection, namespace });
    return [server, ofNamespace, await ensureCurrent(version, isCheck, temporal)];
  }
  return [server, ofNamespace, await ensureAttributes(options, namespace, connection)];
}

async function ensureNamespace(
  { retentionDays, isCheck }: SetupOptions,
  namespace: string,
  { workflowService }: Connection,
): Promise<SetupResult> {
  const what = 'namespace';
  const found = await orMissing(workflowService.describeNamespace({ namespace }));
  if (found) {
    const seconds = Number(found.config?.workflowExecutionRetentionTtl?.seconds ?? 0);
    return { what, state: 'there', text: `keeps closed workflows for ${seconds / 3_600} hours` };
  }
  const command = `temporal operator namespace create --namespace ${namespace} --retention ${retentionDays}d`;
  if (isCheck) return { what, state: 'missing', text: `make it with: ${command}` };
  try {
    await workflowService.registerNamespace({
      namespace,
      description: 'Millwright',
      workflowExecutionRetentionPeriod: msToTs(`${retentionDays}d`),
    });
    return { what, state: 'made', text: `keeps closed workflows for ${retentionDays} days` };
  } catch (error) {
    const why = reasonOf(error);
    return {
      what,
      state: 'missing',
      text: `it cannot be made (${why}). Run as an administrator: ${command}`,
    };
  }
}

async function ensureAttributes(
  { isCheck }: SetupOptions,
  namespace: string,
  connection: Connection,
): Promise<SetupResult> {
  const what = 'search attributes';
  const client = new Client({ connection, namespace });
  const faults = async () => await orMissing(searchAttributeFaults(client));
  const found = await until(faults, `the server does not know the namespace ${namespace} yet`);
  const { missing, mistyped } = found;
  if (mistyped.length > 0) {
    return { what, state: 'missing', text: typesMessage(mistyped, namespace) };
  }
  if (missing.length === 0) return { what, state: 'there', text: 'all of them' };
  const names = missing.join(', ');
  const commands = commandsFor(missing, namespace);
  const toDo = ['Run as an administrator, here or in Temporal Cloud:', ...commands].join('\n  ');
  if (isCheck) return { what, state: 'missing', text: `${names}. ${toDo}` };
  const refusal = await registerSearchAttributes(connection, namespace, missing);
  if (refusal !== undefined) {
    return { what, state: 'missing', text: `${names}: ${refusal}. ${toDo}` };
  }
  await until(
    async () => ((await faults())?.missing.length === 0 ? true : undefined),
    'the server does not know the search attributes yet',
  );
  return { what, state: 'made', text: names };
}

async function until<Found>(
  ask: () => Promise<Found | undefined>,
  otherwise: string,
): Promise<Found> {
  const answer = await untilAnswered(ask, {
    withinMs: knownWithinMs,
    everyMs: askEveryMs,
  });
  if (answer === undefined) throw new Error(`${otherwise}: try again`);
  return answer;
}

interface VersionOptions {
  /** As `--worker-deployment` of the worker. */
  deploymentName: string;
  /** `own`: that of the code beside this command. `unversioned`: workers without a version. */
  buildId: string;
  /** How long to wait for a worker of it. */
  waitMinutes: number;
}

const what = 'version';
/** As `temporal.api.enums.v1.TaskQueueType` counts them. */
const workflowQueue = 1;

interface Deployment {
  current: WorkerVersion | undefined;
  /** That it is to be; undefined: workers without a version. */
  wanted: WorkerVersion | undefined;
}

/**
 * Waits until a worker of the version is there, so that no workflow task waits for one. Does
 * nothing when it is current.
 */
async function ensureCurrent(
  options: VersionOptions,
  isCheck: boolean,
  temporal: Client,
): Promise<SetupResult> {
  const deployment = {
    current: await currentOf(options.deploymentName, temporal),
    wanted: await wantedOf(options),
  };
  const { current, wanted } = deployment;
  if (isSameVersion(current, wanted))
    return { what, state: 'there', text: `${nameOf(wanted)} is the current one` };
  const { namespace } = temporal.options;
  if (isCheck) {
    const { deploymentName } = options;
    const buildId = wanted?.buildId ?? 'unversioned';
    const line = lineFor({ deploymentName, buildId }, namespace);
    return { what, state: 'missing', text: `${nameOf(current)} is the current one. Run: ${line}` };
  }
  const queues = await untilAnswered(() => queuesPolled(deployment, temporal), {
    withinMs: options.waitMinutes * 60_000,
    everyMs: askEveryMs,
  });
  if (!queues)
    return {
      what,
      state: 'missing',
      text: `no worker of ${nameOf(wanted)} polls after ${options.waitMinutes} minutes: start one, then try again`,
    };
  return await makeCurrent(options, { ...deployment, queues }, temporal);
}

async function wantedOf({
  deploymentName,
  buildId,
}: VersionOptions): Promise<WorkerVersion | undefined> {
  if (buildId === 'unversioned') return undefined;
  if (buildId !== 'own') return { deploymentName, buildId };
  if (!builtBundle('workflow-bundle.js')) {
    throw new Error(
      '--current=own: no workflow code lies beside this command, as in the image; name the version that the worker says in /readyz',
    );
  }
  return { deploymentName, buildId: await ownBuildId() };
}

async function currentOf(deploymentName: string, { workflowService, options }: Client) {
  const { namespace } = options;
  const found = await orMissing(
    workflowService.describeWorkerDeployment({ namespace, deploymentName }),
  );
  const { buildId } = found?.workerDeploymentInfo?.routingConfig?.currentDeploymentVersion ?? {};
  return buildId ? { deploymentName, buildId } : undefined;
}

/** Task queues for workflows, if a worker of the wanted version polls one; else undefined. */
async function queuesPolled(
  { current, wanted }: Deployment,
  temporal: Client,
): Promise<string[] | undefined> {
  const { namespace } = temporal.options;
  const deploymentVersion = wanted ?? current ?? null;
  const found = await orMissing(
    temporal.workflowService.describeWorkerDeploymentVersion({ namespace, deploymentVersion }),
  );
  const queues = (found?.versionTaskQueues ?? [])
    .filter(({ type }) => Number(type) === workflowQueue)
    .flatMap(({ name }) => name ?? []);
  for (const queue of queues)
    if (polls(wanted, await readQueueVersions(temporal, queue))) return queues;
  return undefined;
}

async function makeCurrent(
  { deploymentName }: VersionOptions,
  { current, wanted, queues }: Deployment & { queues: string[] },
  temporal: Client,
): Promise<SetupResult> {
  const { namespace } = temporal.options;
  const buildId = wanted?.buildId ?? '';
  try {
    await temporal.workflowService.setWorkerDeploymentCurrentVersion({
      namespace,
      deploymentName,
      buildId,
      identity: 'millwright setup',
    });
  } catch (error) {
    const version = wanted ? `--build-id ${buildId}` : '--unversioned';
    const command = `temporal worker deployment set-current-version --namespace ${namespace} --deployment-name ${deploymentName} ${version}`;
    return {
      what,
      state: 'missing',
      text: `${nameOf(wanted)} cannot be made the current one (${reasonOf(error)}). Run as an administrator: ${command}`,
    };
  }
  const isKnown = await untilAnswered(() => isCurrentIn(queues, wanted, temporal), {
    withinMs: knownWithinMs,
    everyMs: askEveryMs,
  });
  if (!isKnown) throw new Error(`the server does not use ${nameOf(wanted)} yet: try again`);
  return {
    what,
    state: 'made',
    text: `${nameOf(wanted)} is the current one, before ${nameOf(current)}`,
  };
}

async function isCurrentIn(
  queues: readonly string[],
  wanted: WorkerVersion | undefined,
  temporal: Client,
) {
  for (const queue of queues) {
    const { current } = await readQueueVersions(temporal, queue);
    if (!isSameVersion(current, wanted)) return undefined;
  }
  return true;
}

function nameOf(version: WorkerVersion | undefined): string {
  return version
    ? `${version.buildId} of ${version.deploymentName}`
    : 'that of workers without a version';
}
