/**
 * Reports whether a Node of the instance's name may be left of an earlier instance. A Node that is
 * called like its Machine can only be this Machine's: of an instance that a create before this one
 * made, and that vanished before it was known.
 */
export function mayHaveStaleNode(
  { nodeName, isFound }: { nodeName: string; isFound: boolean },
  { machineName, usesTarget, generation }: Expecting,
): boolean {
  if (!usesTarget) return false;
  return nodeName === machineName ? generation > 0 : !isFound;
}

export interface Expecting {
  machineName: string;
  usesTarget: boolean;
  /** How many creates came before. */
  generation: number;
}
