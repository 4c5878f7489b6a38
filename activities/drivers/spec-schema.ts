/**
 * Says what is wrong with a provider spec by its JSON schema (draft 2020-12): a sentence for each
 * fault, with field, value and what is allowed.
 */
import { schemaCheck } from '../schema/schema-check.ts';

/** A sentence for each fault; empty when there is none. */
export type SpecCheck = (providerSpec: unknown) => string[];

/**
 * Fields that the schema does not know are ignored and null is absent, as where MCM's drivers read
 * a spec.
 */
export function specCheck(schema: object): SpecCheck {
  const check = schemaCheck(schema, 'providerSpec');
  return (providerSpec) => check(withoutNulls(providerSpec ?? {})).map(({ sentence }) => sentence);
}

/** How one cloud reads its specs: a validated one with its types, and what is wrong with any. */
export interface SpecReading<Spec> {
  /** Null fields are absent. */
  specOf: (providerSpec: unknown) => Spec;
  validateProviderSpec: SpecCheck;
}

/** `faultsBetweenFields`: looked for once each field is right. Default: there are none. */
export function specReading<Spec>(
  schema: object,
  faultsBetweenFields: (spec: Spec) => string[] = () => [],
): SpecReading<Spec> {
  const checkSchema = specCheck(schema);
  return {
    specOf: (providerSpec) => Object(withoutNulls(providerSpec)),
    validateProviderSpec(providerSpec) {
      const faults = checkSchema(providerSpec);
      return faults.length > 0 ? faults : faultsBetweenFields(Object(withoutNulls(providerSpec)));
    },
  };
}

/**
 * What a driver answers when it refuses a class. Gardener's extensions take `Invalid value` for a
 * configuration problem: they show it to the owner of the shoot and do not try again.
 */
export function invalidSpec(faults: readonly string[]): string {
  const text = faults.join('; ');
  return text.includes('Invalid value') ? text : `Invalid value: ${text}`;
}

/** A field of a spec that may be wrong; empty where it is no text. */
export function fieldText(providerSpec: unknown, field: string): string {
  const { [field]: value } = Object(providerSpec);
  return typeof value === 'string' ? value : '';
}

/** Null is absent. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const present = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(present.map(([name, item]) => [name, withoutNulls(item)]));
}
