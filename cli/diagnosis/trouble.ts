/** The names of what can be wrong: docs/decisions/0049-operator-surface.md. */

export const troubles = [
  'drain-budget',
  'drain-volume',
  'hook-waits',
  'quota',
  'capacity',
  'bad-spec',
  'missing-secret',
  'credentials',
  'never-joins',
  'unhealthy-node',
  'update-failed',
  'rollout-blocked',
  'frozen-set',
  'policy-invalid',
  'worker-down',
  'temporal-down',
  'api-server-down',
  'certificate-expiry',
  'bad-release',
  'temporal-lost',
  'restored-etcd',
  'stop-left-on',
  'orphan',
] as const;

export type Trouble = (typeof troubles)[number];

/** In the repository. */
export function runbookOf(trouble: Trouble): string {
  return `docs/runbooks/${trouble}.md`;
}

/** While one of these lasts, nothing gets better by itself anywhere. */
const ofTheInstall = new Set<Trouble>([
  'temporal-down',
  'temporal-lost',
  'restored-etcd',
  'api-server-down',
  'worker-down',
  'bad-release',
  'stop-left-on',
]);

/** A person has to repair something. */
const forPeople = new Set<Trouble>([
  'credentials',
  'bad-spec',
  'missing-secret',
  'update-failed',
  'rollout-blocked',
  'frozen-set',
  'policy-invalid',
  'certificate-expiry',
  'orphan',
]);

/** The lowest first. */
export function rankOf(trouble: Trouble | undefined): number {
  if (trouble === undefined) return 2;
  if (ofTheInstall.has(trouble)) return 0;
  return forPeople.has(trouble) ? 1 : 2;
}
