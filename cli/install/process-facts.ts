/** What the Deployments of watcher and worker say of the install. */
import { readFlags } from '../../workers/config/flags/parse.ts';
import type { ProcessFact, Timeouts } from './install.ts';
import { defaultTimeouts } from './install.ts';
import type { Deployment } from './deployments.ts';
import { componentOf, containersOf, wantedOf } from './deployments.ts';

export function processFactsOf(ours: readonly Deployment[]): ProcessFact[] {
  return ours.map((one) => ({
    namespace: one.metadata.namespace ?? '',
    name: one.metadata.name,
    component: componentOf(one) ?? 'process',
    wanted: wantedOf(one),
    available: one.status?.availableReplicas ?? 0,
  }));
}

/** As the flags of a worker have them, else the defaults. */
export function timeoutsOf(ours: readonly Deployment[]): Timeouts {
  const worker = ours.find((one) => componentOf(one) === 'worker');
  if (!worker) return defaultTimeouts;
  const words = containersOf(worker).flatMap(({ args = [] }) => args);
  // The program before them is no flag: that fault is left out.
  const { values } = readFlags(words, { component: 'worker' });
  return {
    creation: values['machine-creation-timeout'],
    health: values['machine-health-timeout'],
    drain: values['machine-drain-timeout'],
  };
}
