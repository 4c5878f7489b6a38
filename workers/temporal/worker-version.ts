/**
 * The version of a worker in Temporal: a name for all workers of an install (`--worker-deployment`)
 * and one for their workflow code (docs/decisions/0046-versions-of-workers.md).
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { WorkerOptions } from '@temporalio/worker';
import type { Config } from '../config/config.ts';
import { version as packageVersion } from '../config/version.ts';
import { builtBundle } from './built-bundle.ts';

/** As Temporal calls its parts. */
export interface WorkerVersion {
  deploymentName: string;
  buildId: string;
}

/** Undefined without `--worker-deployment`: Temporal knows no version of such workers. */
export async function workerVersionOf({
  versioning,
  workflowBundle,
}: Pick<Config, 'versioning' | 'workflowBundle'>): Promise<WorkerVersion | undefined> {
  if (!versioning) return undefined;
  const { deploymentName, buildId } = versioning;
  return { deploymentName, buildId: buildId ?? (await ownBuildId(workflowBundle)) };
}

/**
 * The same for the same workflow code, whatever the flags are: a change of flags is no new version.
 *
 * @param file Default: the bundle of the build. In a checkout the package's version alone.
 */
export async function ownBuildId(
  file = builtBundle('workflow-bundle.js')?.codePath,
): Promise<string> {
  if (file === undefined) return packageVersion;
  const digest = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  return `${packageVersion}-${digest.slice(0, 8)}`;
}

/** Of the worker that runs workflows; that of drains and those of drivers have no version. */
export function deploymentOptionsOf(
  version: WorkerVersion | undefined,
): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (!version) return {};
  return {
    workerDeploymentOptions: {
      version,
      useWorkerVersioning: true,
      // A run lasts as long as its object: it moves to new code instead of keeping old workers.
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}
