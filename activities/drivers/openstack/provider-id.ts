/** The identity of a server, as Gardener's driver writes it; of a part, ours alone. */
import { fault } from '../frame/fault.ts';

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** OpenStack's cloud controller manager writes the other two to Nodes. */
const serverForms = [
  new RegExp(`^openstack:///[^/]+/(${uuid})$`),
  new RegExp(`^openstack:///(${uuid})$`),
  new RegExp(`^openstack://[^/]+/(${uuid})$`),
];

const partForm = new RegExp(`^openstack:///[^/]+/(port|volume)/(${uuid})$`);

export type PartKind = 'port' | 'volume';

export function serverIDOf(region: string, id: string): string {
  return `openstack:///${region}/${id}`;
}

export function partIDOf(region: string, kind: PartKind, id: string): string {
  return `openstack:///${region}/${kind}/${id}`;
}

/** Undefined when it names a part. */
export function serverIn(providerID: string): string | undefined {
  if (partForm.test(providerID)) return undefined;
  const [id] = serverForms.flatMap((form) => form.exec(providerID)?.[1] ?? []);
  if (id !== undefined) return id;
  throw fault(
    'input',
    `spec.providerID: "${providerID}" is not of the form openstack:///REGION/UUID`,
  );
}

export function partIn(kind: PartKind, providerID: string): string | undefined {
  const [, found, id] = partForm.exec(providerID) ?? [];
  return found === kind ? id : undefined;
}
