export interface Acceptance {
  /** Id in GitHub's database: GHSA-.... */
  id: string;
  /** Why it does no harm here. */
  reason: string;
  /** Last day, as YYYY-MM-DD: then it is to be checked again. */
  until: string;
}

/** None so far. */
export const accepted: readonly Acceptance[] = [];
