import { CancellationScope, condition } from '@temporalio/workflow';

export interface ClaimInput {
  /** Id of the control cluster; as in every input of a workflow. */
  cluster: string;
  /** Holder of the claim: a cluster, a pair of them, an install. */
  holder: string;
}

/**
 * Holds a claim by its own existence: Temporal runs one workflow of an id at a time. It does
 * nothing and never ends by itself; terminating it releases the claim. See
 * workers/temporal/claims.ts.
 */
export async function claim(_input: ClaimInput): Promise<void> {
  await CancellationScope.nonCancellable(() => condition(() => false));
}
