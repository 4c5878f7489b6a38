/** What a worker does for one namespace. */
import type { KubeClient } from '../../kube/client/client.ts';
import { orAborted } from '../../activities/system/or-aborted.ts';
import { checksOf } from '../checks/checks.ts';
import { keepSchedules } from '../checks/keep-schedules.ts';
import { NamespaceChecks } from '../checks/namespace-checks.ts';
import { reasonOf } from '../log/reason.ts';
import { watchProviders } from '../temporal/driver-workers.ts';
import { createActivities, dependenciesOf } from './namespace-activities.ts';
import type { ProcessParts } from './namespace-parts.ts';
import { openNamespace } from './namespace-parts.ts';
import type { Attempt } from './served-namespace.ts';

/** Resolves when activities for the namespace can run. */
export async function serveWorker(process: ProcessParts, attempt: Attempt): Promise<void> {
  const { config, temporal, activities, checkMetrics, rounds } = process;
  const { namespace, scope, signal, log } = attempt;
  const parts = await openNamespace(process, attempt);
  const dependencies = dependenciesOf(process, parts);
  const own = createActivities(dependencies, { ...parts, config });
  await untilDriversKnown(process, attempt);
  activities.add(namespace, own);
  scope.add('activities', () => activities.remove(namespace));
  // Their workflows and activities are of the core.
  if (!config.serves.core) return;
  const settings = { ...config, namespace, identity: parts.identity };
  const metrics = checkMetrics.of(namespace, checksOf(settings));
  scope.add('metrics of checks', () => checkMetrics.remove(namespace));
  keepSchedules({ temporal, settings, log, signal });
  const namespaces = (): number => rounds.size;
  const checks = { temporal, settings, dependencies, metrics, log, signal, namespaces };
  rounds.add(namespace, new NamespaceChecks(checks));
  scope.add('safety checks', () => rounds.remove(namespace));
}

interface DriversOf {
  driverWorkers: Pick<ProcessParts['driverWorkers'], 'waitsForClasses' | 'serve'>;
  clients: { control: KubeClient };
}

/** The drivers that its classes need load before its activities run. */
export async function untilDriversKnown(
  { driverWorkers, clients }: DriversOf,
  { namespace, scope, signal, log, report }: Attempt,
): Promise<void> {
  if (!driverWorkers.waitsForClasses) return;
  const classes = watchProviders({
    control: clients.control,
    namespace,
    onProvider: (provider) => driverWorkers.serve(provider),
    onError(err) {
      const what = 'the MachineClasses cannot be read';
      log.warn({ err }, what);
      // The others of the fleet begin when of each it is known whether it is served.
      report(`${what}: ${reasonOf(err)}`);
    },
  });
  scope.add('MachineClasses', () => classes.stop());
  await orAborted(classes.synced, signal);
}
