/** The Secrets that a MachineClass names. Only those of its own namespace are ever read. */
import type { MachineClass } from './machine-class.ts';

const fields = ['secretRef', 'credentialsSecretRef'] as const;

export interface NamedSecret {
  field: (typeof fields)[number];
  name: string;
}

export type SecretRefs = Pick<MachineClass, (typeof fields)[number]>;

/**
 * In the order in which the later one overlays the earlier. No namespace means that of the class.
 */
export function ownSecretsOf(refs: SecretRefs, namespace: string): NamedSecret[] {
  return fields.flatMap((field) => {
    const { name = '' } = refs[field] ?? {};
    return name === '' || isForeign(refs, { field, namespace }) ? [] : [{ field, name }];
  });
}

/**
 * Names of the Secrets that the class protects from deletion. As in MCM v0.62.1 the namespace of a
 * reference does not count: a user corrects a wrong one later, and the machines need the Secret.
 */
export function protectedSecretsOf(refs: SecretRefs): string[] {
  return fields.map((field) => refs[field]?.name ?? '').filter((name) => name !== '');
}

/** Otherwise a person who may write a class could have any Secret used that the worker may read. */
export function secretNamespaceFaults(refs: SecretRefs, namespace: string): string[] {
  return fields
    .filter((field) => isForeign(refs, { field, namespace }))
    .map((field) => {
      const elsewhere = refs[field]?.namespace ?? '';
      return `${field}.namespace: "${elsewhere}" is not allowed: Secrets are read in ${namespace} only`;
    });
}

function isForeign(
  refs: SecretRefs,
  { field, namespace }: { field: NamedSecret['field']; namespace: string },
): boolean {
  const { namespace: elsewhere = '' } = refs[field] ?? {};
  return elsewhere !== '' && elsewhere !== namespace;
}
