/**
 * Whether a Node of the instance's name may be there already, of an earlier instance. One that is
 * called like its Machine can only be of this Machine.
 */
export function mayHaveStaleNode(
  { nodeName, isFound }: { nodeName: string; isFound: boolean },
  { machineName, usesTarget }: { machineName: string; usesTarget: boolean },
): boolean {
  return !isFound && nodeName !== machineName && usesTarget;
}
