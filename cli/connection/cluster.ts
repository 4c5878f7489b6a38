import { setTimeout } from 'node:timers/promises';
import type { KubeClient } from '../../kube/client/client.ts';
import { KubeError } from '../../kube/client/errors.ts';
import type { KubeConfig } from '../../kube/client/kubeconfig.ts';
import { loadKubeConfig } from '../../kube/client/kubeconfig.ts';
import { createKubeClient } from '../../kube/client/http-client.ts';
import { version } from '../../workers/config/version.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import type { ClusterOptions } from '../command-line/options.ts';

/** Where a command acts. */
export interface ClusterScope {
  kube: KubeClient;
  namespace: string;
}

/**
 * A person waits: retries that suit a process would take a minute. A plugin for credentials may
 * have a person log in first.
 */
const patienceMs = { plain: 5_000, plugin: 30_000 };

/**
 * Throws when the kubeconfig cannot be read, and within seconds when the API server does not
 * answer. Closes the connection at the end.
 */
export async function inCluster<Answer>(
  options: ClusterOptions,
  act: (scope: ClusterScope) => Promise<Answer>,
): Promise<Answer> {
  return await inUntriedCluster(options, async (scope, kubeConfig) => {
    const { source, cluster } = kubeConfig;
    const { context } = options;
    const from = context === undefined ? source : `${source}, context ${context}`;
    const words = {
      server: `${cluster.server} (${from})`,
      flags: '--kubeconfig and --context name',
    };
    return await answering(scope.kube, { kubeConfig, ...words }, () => act(scope));
  });
}

/** Without asking the API server before: `act` says itself what does not answer. */
export async function inUntriedCluster<Answer>(
  { kubeconfig = '', context, namespace }: ClusterOptions,
  act: (scope: ClusterScope, kubeConfig: KubeConfig) => Promise<Answer>,
): Promise<Answer> {
  const kubeConfig = loadKubeConfig(kubeconfig, process.env, context);
  const kube = createKubeClient({
    kubeConfig,
    userAgent: `millwright-cli/${version}`,
    // Sets apart what a person does from what the worker does, which is `millwright`.
    fieldManager: 'millwright-cli',
  });
  try {
    const scope = { kube, namespace: namespace ?? kubeConfig.namespace ?? 'default' };
    return await act(scope, kubeConfig);
  } finally {
    await kube.close();
  }
}

interface Silent {
  kubeConfig: KubeConfig;
  /** For the message, as is what names another one. */
  server: string;
  flags: string;
}

/** Throws with the words of `silent` where the API server does not answer, before or meanwhile. */
export async function answering<Answer>(
  kube: KubeClient,
  { kubeConfig, server, flags }: Silent,
  act: () => Promise<Answer>,
): Promise<Answer> {
  try {
    await requireAnswer(kube, patienceMs[kubeConfig.user.exec ? 'plugin' : 'plain']);
    return await act();
  } catch (error) {
    if (!isSilence(error)) throw error;
    throw unanswered(`The API server ${server} does not answer`, `${flags} another one`, error);
  }
}

/** Without the path of the request that failed, which says nothing to a person. */
function unanswered(what: string, help: string, error: Error): Error {
  const cause = error.cause ?? error;
  return new Error(`${what}: ${reasonOf(cause)}. ${help}.`, { cause });
}

/** A refusal is an answer. */
async function requireAnswer(kube: KubeClient, withinMs: number): Promise<void> {
  const late = setTimeout(withinMs, undefined, { ref: false }).then(() => {
    throw new SilenceError(`no answer within ${withinMs / 1_000} s`);
  });
  try {
    await Promise.race([kube.get('/version'), late]);
  } catch (error) {
    if (isSilence(error)) throw error;
  }
}

class SilenceError extends Error {}

const isSilence = (error: unknown): error is Error =>
  error instanceof SilenceError || (error instanceof KubeError && error.code === 0);
