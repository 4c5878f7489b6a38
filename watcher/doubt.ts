/**
 * Why a term does not go on where the one before it ended, in one word. The reasons themselves are
 * for people.
 */

/**
 * `restored`: the database of Kubernetes is in an older state. `target`: that of a cluster is which
 * has the Nodes alone; no Machine is lost by it. `forgotten`: the API server does not
 * know any more what happened since. `absent`: no watcher led for long. `late`: the leader did not
 * renew in time, perhaps because of what it took in. `lease`: the Lease was deleted or edited.
 * `temporal`: the database of Temporal is another one. `claims`: runs of another install had the
 * ids of ours, and took signals.
 */
export type DoubtKind =
  'restored' | 'target' | 'forgotten' | 'absent' | 'late' | 'lease' | 'temporal' | 'claims';

export const doubtKinds: readonly DoubtKind[] = [
  'restored',
  'target',
  'forgotten',
  'absent',
  'late',
  'lease',
  'temporal',
  'claims',
];

const beginOfTarget = 'target cluster: ';

/** Marks a reason that comes from a cluster with the Nodes alone. */
export const ofTarget = (reason: string): string => beginOfTarget + reason;

/** It knows nothing of what was signalled before. */
export const otherTemporal = 'Temporal has another database';

/** No worker of ours serves them. */
export const othersRuns = 'runs of another install took signals';

export function kindOfDoubt(reason: string): DoubtKind {
  if (reason === otherTemporal) return 'temporal';
  if (reason === othersRuns) return 'claims';
  if (reason.startsWith('no renewal in time')) return 'late';
  if (reason.endsWith('was restored'))
    return reason.startsWith(beginOfTarget) ? 'target' : 'restored';
  if (reason.includes('the server has forgotten')) return 'forgotten';
  return reason.startsWith('no leader for') ? 'absent' : 'lease';
}
