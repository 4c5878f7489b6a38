import type { SafetyActivities } from '../../workflows/contracts/safety-activities.ts';
import type { Server } from '../../workflows/plan/safety/reachability.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { KubeError, isUnreachable } from '../../kube/client/errors.ts';
import { customResource, node } from '../../kube/client/paths.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';

/** There is none. That it is not found is an answer. */
const unknownName = 'dummy-name';

/** As MCM v0.62.1 asks. A target cluster that there is not is not out of reach. */
export async function checkServers(
  dependencies: Pick<ActivityDependencies, 'control' | 'target'>,
  { namespace }: Parameters<SafetyActivities['checkServers']>[0],
): Promise<{ away: Server[] }> {
  const [control, target] = await Promise.all([
    awayIf('control', dependencies.control, customResource('machines', namespace, unknownName)),
    dependencies.target ? awayIf('target', dependencies.target, node(unknownName)) : [],
  ]);
  return { away: [...control, ...target] };
}

async function awayIf(server: Server, client: KubeClient, path: string): Promise<Server[]> {
  try {
    await client.get(path);
    return [];
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return isUnreachable(error) ? [server] : [];
  }
}
