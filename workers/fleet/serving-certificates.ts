/** Approves serving certificates of kubelets, where `--approve-kubelet-serving` is on. */
import type { Registry } from 'prom-client';
import type { ActivityDependencies } from '../../activities/runtime/dependencies.ts';
import { ServingCertificates } from '../../activities/serving-certificates/approver.ts';
import { addressesByCloud } from '../../activities/serving-certificates/ask-cloud.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../log/logger.ts';
import { registerServingMetrics } from '../metrics/serving-certificates.ts';
import type { Drivers } from '../temporal/process-drivers.ts';
import { FairTurns } from './fair-turns.ts';
import type { Member } from './member.ts';
import type { Attempt } from './served-namespace.ts';

export interface ServingApproval {
  /** In the target cluster that all namespaces share. */
  shared: ServingCertificates | undefined;
  open(target: KubeClient): ServingCertificates;
}

/** Requests of each target cluster that are reviewed at a time. */
const most = 5;

export interface ApprovalParts {
  config: Pick<Config, 'approvesKubeletServing' | 'serves'>;
  log: Logger;
  registry: Registry;
  /** That all namespaces share. */
  target: KubeClient | undefined;
}

/** Undefined: nothing is watched. */
export function createServingApproval({
  config,
  log,
  registry,
  target: shared,
}: ApprovalParts): ServingApproval | undefined {
  if (!config.approvesKubeletServing || !config.serves.core) return undefined;
  const count = registerServingMetrics(registry);
  const open = (target: KubeClient): ServingCertificates => {
    const turns = new FairTurns(most);
    return new ServingCertificates({
      target,
      turn: (requester, task) => turns.take(requester, task),
      onResult({ result, ...request }) {
        count(result);
        if (result === 'approved')
          log.info(request, 'approved the serving certificate of a kubelet');
        else log.warn(request, 'a request for a serving certificate is left alone');
      },
      onError: (err) => log.warn({ err }, 'a request for a serving certificate has to wait'),
    });
  };
  return { shared: shared && open(shared), open };
}

interface ServedMember extends Member, Attempt {
  drivers: Drivers;
}

/** Of the Machines of one namespace, until its scope ends. */
export function serveCertificates(
  { serving, config }: { serving: ServingApproval | undefined; config: Pick<Config, 'serves'> },
  { namespace, clients, ownTarget, identity, drivers, scope, signal }: ServedMember,
  { control, machines, classes, activeWatcher, stop }: ActivityDependencies,
): void {
  if (!serving || !clients.target) return;
  const own = ownTarget && serving.open(ownTarget.client);
  if (own) scope.add('serving certificates', () => own.close());
  const driverOf = (provider: string) =>
    config.serves.drivers.some((served) => served === provider) ? drivers.get(provider) : undefined;
  const ask = { cluster: identity.cluster, classes, driverOf, signal };
  const end = (own ?? serving.shared)?.serve({
    namespace,
    control,
    machines,
    mayAct: () => activeWatcher.isActive() && stop.current() === undefined,
    askCloud: (machine) => addressesByCloud(ask, machine),
  });
  if (end) scope.add('serving certificates of its Machines', end);
}
