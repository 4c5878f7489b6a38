/**
 * Says what is wrong with a value by its JSON schema (draft 2020-12): a sentence for each fault,
 * with field, value and what is allowed.
 */
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { nearestOf } from '../../workflows/values/nearest.ts';

export interface SchemaFault {
  /** JSON pointer to the field, or to the object that lacks one. */
  pointer: string;
  sentence: string;
  /** Of JSON schema, such as `additionalProperties` of a field that is not known. */
  keyword: string;
}

/**
 * A field of the schema may say in `x-allowed` what is allowed, in words that follow "is not";
 * otherwise the rule that is broken is named. The value of a field with `x-secret: true` is not
 * shown. `root` begins each path, such as `providerSpec`; empty: paths begin with the field.
 */
export function schemaCheck(schema: object, root = ''): (value: unknown) => SchemaFault[] {
  let validate: ValidateFunction | undefined;
  return (value) => {
    // Compiled when it is needed: most workers see one cloud only.
    validate ??= new Ajv2020({ allErrors: true, verbose: true, strict: false }).compile(schema);
    if (validate(value)) return [];
    // These only say that one of their parts failed, which is reported by itself.
    const causes = (validate.errors ?? []).filter(
      ({ keyword }) => keyword !== 'if' && keyword !== 'propertyNames',
    );
    const faults = causes.slice(0, mostFaults).map((error) => ({
      pointer: pointerOf(error),
      sentence: sentenceOf(error, root),
      keyword: error.keyword,
    }));
    return faults.filter(
      ({ sentence }, index) => faults.findIndex((one) => one.sentence === sentence) === index,
    );
  };
}

/** More are of no use, and would keep a worker with a text that has very many. */
export const mostFaults = 100;

function pointerOf({ instancePath, keyword, params }: ErrorObject): string {
  if (keyword !== 'additionalProperties') return instancePath;
  const name = String(params['additionalProperty']);
  return `${instancePath}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
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
  if (value instanceof Date) return value.toISOString();
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

function sentenceOf(error: ErrorObject, root: string): string {
  const { keyword, instancePath, data, params, parentSchema } = error;
  const path = pathOf(instancePath, root);
  const inside = path === '' ? '' : `${path}.`;
  if (keyword === 'required') return `${inside}${String(params['missingProperty'])} is missing`;
  if (keyword === 'additionalProperties') return unknownField(inside, error);
  const named: unknown = parentSchema?.['x-allowed'];
  const allowed = typeof named === 'string' ? named : allowedBy(error);
  if (parentSchema?.['x-secret'] === true) return `${path}: ${concealed(data)} is not ${allowed}`;
  return refusal(path === '' ? 'the document' : path, data, allowed);
}

/** Only of schemas that take no other fields. */
function unknownField(inside: string, { params, parentSchema }: ErrorObject): string {
  const name = String(params['additionalProperty']);
  const known = Object.keys(Object(parentSchema?.['properties']));
  const meant = nearestOf(name, known);
  const allowed = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`;
  return `${inside}${name} is not a field: ${allowed}`;
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

/** `/disks/0/type` to `disks[0].type` below `root`. */
function pathOf(pointer: string, root: string): string {
  return stepsOf(pointer).reduce((path, name) => {
    if (/^\d+$/.test(name)) return `${path}[${name}]`;
    return path === '' ? name : `${path}.${name}`;
  }, root);
}

/** Fields and indices of a JSON pointer, from the root on. */
export function stepsOf(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
