/** Label selectors and field selectors, as lists and watches have them. */
import type { KubeObject, Query } from '../../../activities/kube/client/client.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';
import type { Resource } from './resources.ts';
import { badRequest } from './status.ts';

export type Selection = (object: KubeObject) => boolean;

/** Whether a list with these selectors holds an object. */
export function selectionOf(
  resource: Resource,
  { labelSelector, fieldSelector }: Query,
): Selection {
  const labelTests = termsOf(labelSelector).map(labelTest);
  const fieldTests = termsOf(fieldSelector).map((term) => fieldTest(resource, term));
  return (object) =>
    labelTests.every((test) => test(object.metadata.labels ?? {})) &&
    fieldTests.every((test) => test(object));
}

/** Commas in brackets belong to a term. */
function termsOf(selector: Query[string]): string[] {
  const terms = String(selector ?? '').match(/[^,(]+(\([^)]*\))?/g) ?? [];
  return terms.map((term) => term.trim());
}

type LabelTest = (labels: Record<string, string>) => boolean;

const labelName = '[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?';
const labelKey = `((?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/)?${labelName})`;
const labelValue = new RegExp(`^(?:${labelName})?$`);
const setTerm = new RegExp(String.raw`^${labelKey} (in|notin) \(([^)]*)\)$`);
const valueTerm = new RegExp(String.raw`^${labelKey}\s*(!=|==|=)\s*(\S*)$`);
const presenceTerm = new RegExp(`^(!?)${labelKey}$`);

function labelTest(term: string): LabelTest {
  const [, key = '', operator = '', values = ''] = setTerm.exec(term) ?? valueTerm.exec(term) ?? [];
  if (operator !== '') return valueTest(term, { key, operator, values });
  const [, not, present] = presenceTerm.exec(term) ?? [];
  if (present === undefined) throw unreadable(term);
  return (labels) => present in labels === (not === '');
}

function valueTest(
  term: string,
  { key, operator, values }: { key: string; operator: string; values: string },
): LabelTest {
  const wanted = new Set(values.split(',').map((value) => value.trim()));
  if (![...wanted].every((value) => labelValue.test(value))) throw unreadable(term);
  // Also of an object that has no such label.
  const isNegative = operator === 'notin' || operator === '!=';
  return (labels) => {
    const value = labels[key];
    return (value !== undefined && wanted.has(value)) !== isNegative;
  };
}

function unreadable(term: string): Error {
  return badRequest(`unable to parse requirement: ${term}`);
}

function fieldTest(resource: Resource, term: string): Selection {
  const [, field = '', operator, value] = /^([^!=]+)(!=|==|=)(.*)$/.exec(term) ?? [];
  if (value === undefined)
    throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  const known = ['metadata.name', ...(resource.isNamespaced ? ['metadata.namespace'] : [])];
  if (![...known, ...resource.fields].includes(field)) throw unknownField(resource, field);
  return (object) => (textAt(object, field) === value) === (operator !== '!=');
}

function unknownField({ isCustom, fields }: Resource, field: string): Error {
  if (isCustom || fields.length > 0) return badRequest(`field label not supported: ${field}`);
  return badRequest(
    `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

/** What is absent is empty. */
function textAt(object: KubeObject, field: string): string {
  const value = field
    .split('.')
    .reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), object);
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
}
