/**
 * Whether a Node of the instance's name may be there already, of an earlier instance. One that is
 * called like its Machine can only be of this Machine: of an instance that a create before this one
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
