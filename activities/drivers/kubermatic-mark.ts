/**
 * What Kubermatic's machine-controller writes on its instances, with the UID of its Machine as the
 * value: tag, label or metadata, as its providers spell it.
 */
const names: readonly string[] = ['Machine-UID', 'machine-uid', 'machine_uid'];

/**
 * Whether one that `spec.providerID` names may be used without tags of ours: it was taken over, and
 * the front gives each Machine the name that it had there.
 */
export function isMadeByMachineController(
  tags: Readonly<Record<string, string>>,
  { instance, machine }: { instance: string | undefined; machine: string },
): boolean {
  return instance === machine && names.some((name) => Boolean(tags[name]));
}
