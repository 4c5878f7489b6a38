/**
 * End-to-end tests that only `npm run test:all` runs, each with the quicker one beside it that `npm
 * test` runs: it fails for the most likely breakage of the same code. What takes long and has no
 * such sibling stays in `npm test`.
 */
export const siblings: Readonly<Record<string, string>> = {
  'adoption-rollout': 'adoption',
  'adoption-trouble': 'adoption',
  'aws-killed': 'aws',
  'azure-killed': 'driver-clouds',
  'gcp-killed': 'driver-clouds',
  'cloud-faults-deletion': 'cloud-faults-creation',
  'drain-killed': 'drain-blocked',
  'drain-many': 'drain-blocked',
  'drain-sick': 'drain-forced',
  fuzz: 'bad-input',
  'health-outage': 'health',
  pauses: 'pauses-inside',
  'rollout-autoscaler': 'rollout-nodes',
  'rollout-both-killed': 'rollout-worker-killed',
  'rollout-watcher-killed': 'rollout-worker-killed',
  'rollout-canary': 'rollout-options',
  'rollout-deletion': 'rollout',
  'rollout-given-up': 'rollout-stuck',
  'rollout-strategies': 'rollout-options',
  'safety-missing': 'safety-orphans',
  'slow-cloud-300': 'slow-cloud',
};

/** Paths of these end in the name and `.test.ts`. */
export function isNightly(path: string): boolean {
  return Object.keys(siblings).some((name) => path.endsWith(`/${name}.test.ts`));
}
