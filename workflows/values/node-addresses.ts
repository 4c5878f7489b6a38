import type { NodeAddress } from '../api/machine.ts';

/**
 * `status.addresses` of a machine without a target cluster, as MCM v0.62.1 writes them: all that
 * the driver ever returned and a `Hostname` for the Node's name, ordered by type and address.
 */
export function nodeAddresses(
  known: readonly NodeAddress[],
  { addresses = [], nodeName }: { addresses?: readonly NodeAddress[]; nodeName: string },
): NodeAddress[] {
  const hostname = { type: 'Hostname', address: nodeName };
  const byText = new Map(
    [...known, ...addresses, hostname].map((each) => [`${each.type}${each.address}`, each]),
  );
  return [...byText]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { type, address }]) => ({ type, address }));
}
