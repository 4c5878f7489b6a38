/** What is wrong with an object that is to be written, besides its version. */
import { crdFaults, ruleFaults } from './crds.ts';
import type { CrdView } from './crds.ts';
import type { Target } from './paths.ts';
import { apiVersionOf } from './resources.ts';
import { causeOf, invalid } from './status.ts';
import type { Cause } from './status.ts';
import type { Stored } from './store.ts';

export interface Findings {
  /** Of metadata. */
  metadata: readonly Cause[];
  isUpdate: boolean;
  /** What the client sent. */
  sent: { kind?: string | undefined; apiVersion?: string | undefined };
  /** Undefined where no schema is asked. */
  crd?: CrdView | undefined;
}

/** Throws for an object with faults. */
export function requireFaultless(target: Target, object: Stored, findings: Findings): void {
  const { sent, crd } = findings;
  const types = typeFaults(target, sent);
  const causes =
    types.length > 0
      ? ofAnotherType(types, object, findings)
      : [
          ...metadataTwice(target, findings),
          ...(crd ? crdFaults(target.resource, object, crd) : []),
        ];
  if (causes.length === 0) return;
  throw invalid(named(target, sent), withBlockedRules(target, causes));
}

/** The schema is of the type that is served, so it is not asked. */
function ofAnotherType(
  types: readonly Cause[],
  object: Stored,
  { metadata, isUpdate, crd }: Findings,
): readonly Cause[] {
  return isUpdate ? [...metadata, ...types, ...(crd ? ruleFaults(object, crd) : [])] : types;
}

/** When an object is made it is checked once. */
function metadataTwice({ resource }: Target, { metadata, isUpdate }: Findings): readonly Cause[] {
  return isUpdate && resource.checksMetadataTwice ? [...metadata, ...metadata] : metadata;
}

function typeFaults(
  { resource }: Target,
  { kind = '', apiVersion = '' }: Findings['sent'],
): Cause[] {
  const expected = apiVersionOf(resource);
  // What is left out of one of the server's own types is filled in.
  const isOther = (found: string, wanted: string): boolean =>
    found !== wanted && (found !== '' || resource.isCustom);
  return [
    ...(isOther(kind, resource.kind)
      ? [causeOf('kind', `${JSON.stringify(kind)}: must be ${resource.kind}`)]
      : []),
    ...(isOther(apiVersion, expected)
      ? [causeOf('apiVersion', `${JSON.stringify(apiVersion)}: must be ${expected}`)]
      : []),
  ];
}

/** In the words of the client. */
function named(target: Target, { kind, apiVersion }: Findings['sent']): Target {
  const { resource } = target;
  if (!resource.isCustom) return target;
  const [group = ''] = (apiVersion ?? '').split('/');
  return { ...target, resource: { ...resource, kind: kind ?? '', group } };
}

const blocking = new Set(['FieldValueRequired', 'FieldValueTypeInvalid', 'FieldValueTooLong']);

/** Beside what the plain schema refuses: the rules of a CustomResourceDefinition wait for it. */
const rulesNotChecked: Cause = {
  reason: 'FieldValueInvalid',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
  field: '<nil>',
};

function withBlockedRules({ resource }: Target, causes: readonly Cause[]): readonly Cause[] {
  const isBlocked = resource.isCustom && causes.some(isOfPlainSchema);
  return isBlocked ? [...causes, rulesNotChecked] : causes;
}

/** The rules say themselves what must be there. */
function isOfPlainSchema({ reason, message }: Cause): boolean {
  return blocking.has(reason) && !message.startsWith('Required value: must ');
}
