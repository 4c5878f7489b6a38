/** `millwright rollout now`: past the windows and exclusions of DisruptionPolicies, for a while. */
import { timestamp } from '../../kube/objects/time.ts';
import { options } from '../../workflows/api/constants.ts';
import { overrideChange } from '../../workflows/plan/machine-deployment/rollout/command-change.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { callerOf } from '../objects/caller.ts';
import { readDeployment } from '../objects/read-object.ts';
import { patchDeployment } from './change.ts';
import type { RolloutOptions } from './history.ts';

export interface NowOptions extends RolloutOptions {
  /** Seconds. */
  for: number;
  /** In words. */
  reason: string;
}

export async function now(scope: ClusterScope, asked: NowOptions): Promise<Answer> {
  const { name, reason } = asked;
  const { kube, namespace } = scope;
  const deployment = await readDeployment(scope, name);
  const until = timestamp(Date.now() + asked.for * 1_000);
  const change = overrideChange(until, reason, await callerOf(kube));
  const { text, names } = await patchDeployment(scope, deployment, change);
  const back = `kubectl -n ${namespace} annotate machinedeployment ${name} ${options.overridePolicies}-`;
  return {
    text: `${text}\nLimits of how many machines at a time hold all the same. To end it before: ${back}`,
    data: { namespace, name, until, reason },
    ...(names && { names }),
  };
}
