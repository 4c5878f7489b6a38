/** The step of `millwright setup` that names the current version of the workers. */
import type { Client } from '@temporalio/client';
import { reasonOf } from '../../workers/log/reason.ts';
import { lineFor } from '../../workers/temporal/current-version.ts';
import { isSameVersion, polls, readQueueVersions } from '../../workers/temporal/queue-status.ts';
import type { WorkerVersion } from '../../workers/temporal/worker-version.ts';
import { ownBuildId } from '../../workers/temporal/worker-version.ts';
import { builtBundle } from '../../workers/temporal/built-bundle.ts';
import type { SetupResult } from './steps.ts';
import { askEveryMs, knownWithinMs } from './steps.ts';
import { untilAnswered } from '../connection/until-answered.ts';
import { orMissing } from '../connection/temporal.ts';

export interface VersionOptions {
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
export async function ensureCurrent(
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

/** Of workflows, when a worker of the wanted version polls one of them; else undefined. */
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
