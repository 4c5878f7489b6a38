/** Counts in the report of a run of `safety/orphans`. */

export interface OrphanCounts {
  /** Instances without a Machine. */
  suspected: number;
  /** Instances that were kept. */
  kept: number;
  /** Listings and deletions that failed. */
  errors: number;
  /** Too many were found to delete any. */
  isStopped: boolean;
  /** Machines whose instance the cloud did not know. */
  missing: number;
}

/** `report`: as a run of this or an earlier version has left it. */
export function orphanCountsIn(report: unknown): OrphanCounts {
  const { suspected, kept, errors, stopped, missing }: Record<string, unknown> = Object(report);
  return {
    suspected: numberOf(suspected),
    kept: numberOf(Object(kept).total),
    errors: Array.isArray(errors) ? errors.length : 0,
    isStopped: stopped !== undefined,
    missing: numberOf(Object(missing).total),
  };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
