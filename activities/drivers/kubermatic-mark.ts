/** The tag that Kubermatic's machine-controller sets in AWS and Azure -> UID of its Machine. */
const uidTag = 'Machine-UID';

/**
 * Whether one that `spec.providerID` names may be used without tags of ours: it was taken over, and
 * the front gives each Machine the name that it had there.
 */
export function isMadeByMachineController(
  tags: Readonly<Record<string, string>>,
  { instance, machine }: { instance: string | undefined; machine: string },
): boolean {
  return instance === machine && Boolean(tags[uidTag]);
}
