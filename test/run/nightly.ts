/**
 * End-to-end tests that only `npm run test:all` runs, each with the quicker one beside it that `npm
 * test` runs: it fails for the most likely breakage of the same code. What takes long and has no
 * such sibling stays in `npm test`.
 */
export const siblings: Readonly<Record<string, string>> = {
  'adoption-rollout': 'adoption',
  'adoption-settled': 'adoption',
  'adoption-trouble': 'adoption',
  aws: 'driver-clouds',
  'aws-killed': 'driver-clouds',
  'azure-killed': 'driver-clouds',
  'gcp-killed': 'driver-clouds',
  'cli-write': 'cli-read',
  'cluster-autoscaler': 'gardener-autoscaler',
  'cloud-faults-deletion': 'cloud-faults-creation',
  'driver-clouds-more': 'driver-clouds',
  'drain-budgets': 'drain-blocked',
  'drain-killed': 'drain-blocked',
  'drain-many': 'drain-blocked',
  'drain-sick': 'drain-forced',
  'drain-unserved': 'split-workers',
  'driver-virtual': 'driver-python',
  'fleet-fifty': 'fleet',
  fuzz: 'bad-input',
  'health-outage': 'health',
  image: 'built',
  'kill-every-step-after': 'worker-crash',
  'kill-every-step-before': 'worker-crash',
  'outage-memory': 'outage',
  'outage-postgresql': 'outage',
  'outage-second-temporal': 'outage',
  migration: 'migration-commands',
  'migration-midway': 'migration-commands',
  'outage-runbook': 'etcd-restored',
  'outage-runbook-servers': 'runbook-servers',
  pauses: 'pauses-inside',
  'preservation-ends': 'preservation',
  'rollout-autoscaler': 'rollout-nodes',
  'rollout-both-killed': 'worker-crash',
  'rollout-change': 'rollout',
  'rollout-history': 'rollout-back',
  'rollout-restarted': 'split-workers',
  'rollout-watcher-killed': 'watcher-crash',
  'rollout-worker-killed': 'worker-crash',
  'rollout-canary': 'rollout-options',
  'rollout-deletion': 'rollout',
  'rollout-given-up': 'rollout-stuck',
  'rollout-strategies': 'rollout-options',
  'safety-missing': 'safety-orphans',
  'set-claims': 'sets',
  'simulation-controllers': 'drain-blocked',
  'slow-cloud': 'cloud-faults-creation',
  'slow-cloud-300': 'cloud-faults-creation',
  'traces-collector': 'traces',
  upgrade: 'versions',
  'upgrade-crds': 'crds',
  'worker-crash-deletion': 'watcher-crash',
};

/** Paths of these end in the name and `.test.ts`. */
export function isNightly(path: string): boolean {
  return Object.keys(siblings).some((name) => path.endsWith(`/${name}.test.ts`));
}
