/** Label selectors and field selectors, as lists and watches have them. */
import type { KubeObject, Query } from '../../../kube/client/client.ts';
import { fieldTestOf } from './field-selectors.ts';
import type { FieldTest } from './field-selectors.ts';
import { labelTestOf } from './label-selectors.ts';
import type { LabelTest } from './label-selectors.ts';
import type { Resource } from './resources.ts';
import { badRequest } from './status.ts';

export type Selection = (object: KubeObject) => boolean;

const noLabels = {};

/** Whether a list with these selectors holds an object. */
export function selectionOf(
  resource: Resource,
  { labelSelector, fieldSelector }: Query,
): Selection {
  const hasLabels = knownLabelTest(String(labelSelector ?? ''));
  const hasFields = knownFieldTest(resource, String(fieldSelector ?? ''));
  return (object) => hasLabels(object.metadata.labels ?? noLabels) && hasFields(object);
}

/** Few selectors are asked for again and again. */
const longestMemory = 1_000;
const labelTests = new Map<string, LabelTest>();
const fieldTests = new Map<Resource, Map<string, FieldTest>>();

function knownLabelTest(selector: string): LabelTest {
  return known(labelTests, selector, () => {
    try {
      return labelTestOf(selector);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw badRequest(`unable to parse requirement: ${error.message}`);
    }
  });
}

function knownFieldTest(resource: Resource, selector: string): FieldTest {
  const tests = fieldTests.get(resource) ?? new Map<string, FieldTest>();
  fieldTests.set(resource, tests);
  return known(tests, selector, () => fieldTestOf(resource, selector));
}

function known<T>(memory: Map<string, T>, key: string, make: () => T): T {
  const found = memory.get(key);
  if (found !== undefined) return found;
  const made = make();
  if (memory.size >= longestMemory) memory.clear();
  memory.set(key, made);
  return made;
}
