/**
 * Classes and Secrets have our finalizer as long as something needs them. One that nothing uses any
 * more may keep it until it is to be deleted: an instance that only its credentials reached was
 * left when its last Machine went.
 */
import type { KubeObject } from '../../../../kube/client/client.ts';
import { finalizer, hasFinalizer, isDeleting, secretFinalizer } from '../objects.ts';
import type { EndParts } from './end-parts.ts';

export function unmetProtection({ install, objects }: EndParts): string[] {
  const { machines, classes } = objects;
  const used = new Set(machines.map(({ spec }) => spec?.class?.name));
  const named = new Set(
    classes.flatMap(({ secretRef, credentialsSecretRef }) => [
      secretRef?.name,
      credentialsSecretRef?.name,
    ]),
  );
  const { items: secrets = [] }: { items?: KubeObject[] } = install.control.server.get(
    `/api/v1/namespaces/${install.namespace}/secrets`,
  );
  return [
    ...classes.flatMap((one) => faultsOf('MachineClass', one, { name: finalizer, used })),
    ...secrets.flatMap((one) => faultsOf('Secret', one, { name: secretFinalizer, used: named })),
  ];
}

function faultsOf(
  kind: string,
  object: KubeObject,
  { name, used }: { name: string; used: ReadonlySet<string | undefined> },
): string[] {
  const isUsed = used.has(object.metadata.name);
  if (isUsed === hasFinalizer(object, name) || (!isUsed && !isDeleting(object))) return [];
  const fault = isUsed ? 'is used and lacks our finalizer' : 'is not used and has our finalizer';
  return [`${kind} ${object.metadata.name} ${fault}`];
}
