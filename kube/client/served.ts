/** Whether an API server serves a kind whose CRD may be absent. */
import { monotonicMs } from '../../activities/system/system.ts';
import type { KubeClient } from './client.ts';
import { isForbidden, isNotFound } from './errors.ts';

/** A resource as discovery names it. */
export interface OptionalResource {
  /** Path of its group and version. */
  api: string;
  plural: string;
}

/** All namespaces of a process share an answer for so long: a little less than each waits. */
const knownForMs = 55_000;

interface Answer {
  at: number;
  isServed: Promise<boolean>;
}

const answers = new WeakMap<KubeClient, Map<string, Answer>>();

/**
 * Discovery says it whatever roles allow: a list of a kind that is not served is refused like any
 * other where no role names it. Rejects when the server does not answer.
 */
export async function isServed(client: KubeClient, resource: OptionalResource): Promise<boolean> {
  const known = answers.get(client) ?? new Map<string, Answer>();
  answers.set(client, known);
  const key = `${resource.api} ${resource.plural}`;
  const last = known.get(key);
  if (last && monotonicMs() - last.at < knownForMs) return await last.isServed;
  const answer = { at: monotonicMs(), isServed: ask(client, resource) };
  known.set(key, answer);
  try {
    return await answer.isServed;
  } catch (error) {
    if (known.get(key) === answer) known.delete(key);
    throw error;
  }
}

async function ask(client: KubeClient, { api, plural }: OptionalResource): Promise<boolean> {
  try {
    const { resources = [] } = await client.get<{ resources?: { name: string }[] }>(api);
    return resources.some(({ name }) => name === plural);
  } catch (error) {
    if (isNotFound(error)) return false;
    // Then the list shows it.
    if (isForbidden(error)) return true;
    throw error;
  }
}
