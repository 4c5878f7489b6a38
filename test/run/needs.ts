/** What tests need beside the npm packages: it is got before the first of them runs. */
import { relative } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import { defaultOptions, type TemporalKind } from '../../deploy/local/options.ts';
import { needsOfStack, type Need } from '../../deploy/local/prepare/needs.ts';
import { mcmPrograms } from '../support/mcm-processes.ts';

/** Programs that judge user data. */
const judges: readonly Need[] = ['cloud-init', 'ignition', 'user-data', 'kubelet', 'containerd'];

/**
 * Of the files whose path begins so, beside what all of `test/e2e` and all others need. What only
 * the night needs is left out: it gets everything.
 */
export const needsOfFiles: Readonly<Record<string, readonly Need[]>> = {
  'test/activities/drivers/aws/moto': ['moto'],
  'test/activities/drivers/vsphere/': ['vcsim'],
  'test/activities/drivers/openstack/services': ['openstack'],
  'test/activities/drivers/kubevirt': ['etcd', 'kube-apiserver'],
  'test/activities/front/providers/made-in-clouds': ['etcd', 'kube-apiserver', 'vcsim'],
  'test/activities/runtime/old-commands': ['temporal'],
  'test/activities/runtime/resets': ['temporal'],
  'test/cli/completion/kubectl': ['kubectl'],
  'test/deploy/bridge/': ['bridge-mcm-driver', 'temporal'],
  'test/deploy/examples/driver-python': ['driver-python'],
  'test/deploy/gardener/gardener': ['hadolint'],
  'test/deploy/helm/': ['helm'],
  'test/deploy/image/dockerfile': ['hadolint'],
  'test/deploy/monitoring/alerts': ['promtool'],
  'test/doubles/rest/readers': ['cloud-readers'],
  'test/docs/aws-from-nothing': ['helm'],
  'test/docs/installing': ['helm'],
  'test/e2e/clouds/aws': ['moto'],
  'test/e2e/clouds/front-clouds': ['moto', 'vcsim'],
  'test/e2e/clouds/pool-on-openstack': ['openstack'],
  'test/e2e/clouds/pool-on-vsphere': ['vcsim'],
  'test/e2e/rollout/canary.': ['moto'],
  'test/e2e/install/chart': ['helm'],
  'test/e2e/gardener/cluster-autoscaler': ['cluster-autoscaler'],
  'test/e2e/front/front-autoscaler': ['cluster-autoscaler'],
  'test/e2e/clouds/driver-clouds-more': ['moto'],
  'test/e2e/clouds/driver-python': ['driver-python'],
  'test/e2e/install/gitops': ['helm', 'gitops-health'],
  'test/e2e/adoption/migration': mcmPrograms,
  'test/e2e/observability/monitoring': ['prometheus'],
  'test/e2e/observability/payloads-python': ['driver-python'],
  'test/e2e/userdata/real-run': ['debian-root', 'kubelet', 'containerd'],
  'test/e2e/userdata/corpus': judges,
  'test/e2e/userdata/validators': judges,
  'test/tools/release': ['helm'],
};

const isEndToEnd = (path: string): boolean => path.startsWith('test/e2e/');

/** `files`: paths of test files. `temporal`: of the stack of those in `test/e2e`. */
export function needsOf(files: readonly string[], temporal: TemporalKind): Need[] {
  const paths = files.map((path) => relative(repository, path));
  return [
    ...(paths.some(isEndToEnd) ? needsOfStack({ ...defaultOptions, temporal }) : []),
    ...(paths.every(isEndToEnd) ? [] : (['temporal-test-server'] as const)),
    ...Object.entries(needsOfFiles).flatMap(([start, needs]) =>
      paths.some((path) => path.startsWith(start)) ? needs : [],
    ),
  ];
}
