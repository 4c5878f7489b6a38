/**
 * Says what is wrong with a provider spec by its JSON schema (draft 2020-12): a sentence for each
 * fault, with field, value and what is allowed.
 */
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** A sentence for each fault; empty when there is none. */
export type SpecCheck = (providerSpec: unknown) => string[];

/**
 * A field of the schema may say in `x-allowed` what is allowed, in words that follow "is not";
 * otherwise the rule that is broken is named. The value of a field with `x-secret: true` is not
 * shown. Fields that the schema does not know are ignored and null is absent, as where MCM's
 * drivers read a spec.
 */
export function specCheck(schema: object): SpecCheck {
  let validate: ValidateFunction | undefined;
  return (providerSpec) => {
    // Compiled when it is needed: most workers see one cloud only.
    validate ??= new Ajv2020({ allErrors: true, verbose: true, strict: false }).compile(schema);
    if (validate(withoutNulls(providerSpec ?? {}))) return [];
    // These only say that one of their parts failed, which is reported by itself.
    const causes = (validate.errors ?? []).filter(
      ({ keyword }) => keyword !== 'if' && keyword !== 'propertyNames',
    );
    const sentences = causes.map(sentenceOf);
    return [...new Set(sentences)];
  };
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

/** `providerSpec.disks[0].type: 3 is not a string` */
export function refusal(path: string, value: unknown, allowed: string): string {
  return `${path}: ${shown(value)} is not ${allowed}`;
}

/** Characters that are shown of a value, which goes into a status, an Event and a history. */
const longestShown = 64;

/** A misplaced object or list may hold a secret, so its values are not shown. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value).join(', ');
    return names === '' ? '{}' : `an object with ${clipped(names)}`;
  }
  return clipped(JSON.stringify(value));
}

function clipped(text: string): string {
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}...`;
}

/** The value of a field with `x-secret`. */
function concealed(value: unknown): string {
  if (typeof value === 'string') return `a string of ${value.length} characters (not shown)`;
  return `a value of type ${typeof value} (not shown)`;
}

function sentenceOf(error: ErrorObject): string {
  const { keyword, instancePath, data, params, parentSchema } = error;
  const path = pathOf(instancePath);
  if (keyword === 'required') return `${path}.${String(params['missingProperty'])} is missing`;
  const named: unknown = parentSchema?.['x-allowed'];
  const allowed = typeof named === 'string' ? named : allowedBy(error);
  if (parentSchema?.['x-secret'] === true) return `${path}: ${concealed(data)} is not ${allowed}`;
  return refusal(path, data, allowed);
}

function allowedBy({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return typeWords[String(params['type'])] ?? String(params['type']);
    case 'enum':
      return `one of ${Object(params)['allowedValues'].join(', ')}`;
    case 'minItems':
      return `a list with at least ${params['limit']} of them`;
    case 'minLength':
      return 'a non-empty string';
    case 'pattern':
      return `a string of the form ${params['pattern']}`;
    case 'minimum':
      return `${params['limit']} or more`;
    case 'maximum':
      return `${params['limit']} or less`;
    default:
      return `what the schema allows: ${message ?? keyword}`;
  }
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a string: put it in quotes',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'an object',
  array: 'a list',
};

/** `/disks/0/type` to `providerSpec.disks[0].type` */
function pathOf(pointer: string): string {
  const steps = pointer.split('/').slice(1);
  return steps.reduce((path, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    return /^\d+$/.test(name) ? `${path}[${name}]` : `${path}.${name}`;
  }, 'providerSpec');
}
