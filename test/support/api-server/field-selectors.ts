/** Field selectors, in the grammar of Kubernetes. */
import type { KubeObject } from '../../../kube/client/client.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';
import type { Resource } from './resources.ts';
import { badRequest } from './status.ts';

export type FieldTest = (object: KubeObject) => boolean;

/** Throws what the server answers. */
export function fieldTestOf(resource: Resource, selector: string): FieldTest {
  const terms = selector.split(/(?<!\\),/).filter((term) => term !== '');
  const tests = terms.map((term) => termTest(resource, selector, term));
  return (object) => tests.every((test) => test(object));
}

function termTest(resource: Resource, selector: string, term: string): FieldTest {
  const [, field = '', operator, value] = /^(.*?)(?<!\\)(!=|==|=)(.*)$/.exec(term) ?? [];
  if (value === undefined) {
    throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`);
  }
  const known = ['metadata.name', ...(resource.isNamespaced ? ['metadata.namespace'] : [])];
  if (![...known, ...resource.fields].includes(field)) throw unknownField(resource, field);
  const wanted = value.replaceAll(/\\([\\,=])/g, '$1');
  return (object) => (textAt(object, field) === wanted) === (operator !== '!=');
}

function unknownField({ isCustom, fields }: Resource, field: string): Error {
  if (isCustom || fields.length > 0) return badRequest(`field label not supported: ${field}`);
  return badRequest(
    `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

/** What is absent is empty, and a switch is off. */
function textAt(object: KubeObject, field: string): string {
  const value = field
    .split('.')
    .reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), object);
  if (field === 'spec.unschedulable') return String(value === true);
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
}
