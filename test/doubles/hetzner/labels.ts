/** Hetzner's labels and label selectors (hcloud-go: hcloud/labels.go; docs: "Label Selector"). */
import { isRecord } from '../../../workflows/values/is-record.ts';
import type { Rule } from '../rest/field-rules.ts';

export type Labels = Readonly<Record<string, string>>;

const keyForm =
  /^([a-z0-9A-Z]((?:[-_.]|[a-z0-9A-Z]){0,253}[a-z0-9A-Z])?\/)?[a-z0-9A-Z]((?:[-_.]|[a-z0-9A-Z]|){0,61}[a-z0-9A-Z])?$/;
const valueForm = /^(([a-z0-9A-Z](?:[-_.]|[a-z0-9A-Z]){0,61})?[a-z0-9A-Z]$|$)/;

export const someLabels: Rule = (value) => {
  if (!isRecord(value)) return 'is not an object';
  const wrong = Object.entries(value).find(
    ([key, text]) => !keyForm.test(key) || typeof text !== 'string' || !valueForm.test(text),
  );
  return wrong && `label '${wrong[0]}' is not correctly formatted`;
};

/** Undefined when it has no form that the API knows. */
export function selectorIn(text: string): ((labels: Labels) => boolean) | undefined {
  const terms = text.split(',').map(termIn);
  if (!terms.every((term) => term !== undefined)) return undefined;
  return (labels) => terms.every((term) => term(labels));
}

function termIn(text: string): ((labels: Labels) => boolean) | undefined {
  const [, key = '', operator, value] = /^([^=!]+)(==|=|!=)([^=!]*)$/.exec(text) ?? [];
  if (operator !== undefined) {
    if (!keyForm.test(key)) return undefined;
    return (labels) => (labels[key] === value) === (operator !== '!=');
  }
  const [, not, bare = ''] = /^(!?)([^=!]+)$/.exec(text) ?? [];
  if (!keyForm.test(bare)) return undefined;
  return (labels) => Object.hasOwn(labels, bare) === (not === '');
}
