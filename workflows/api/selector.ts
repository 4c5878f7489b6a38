/** Label selectors as Kubernetes reads them. */
import type { LabelSelector, LabelSelectorRequirement } from './machine-set.ts';
import { quoted } from './validation.ts';

type Labels = Record<string, string>;

/** Labels, expressions and values of one selector: each object is compared with all of them. */
const mostRequirements = 1_000;
/** To count takes as long as to compare, and each of a thousand objects asks. */
const tooLarge = new WeakMap<LabelSelector, boolean>();

function isTooLarge(selector: LabelSelector): boolean {
  const known = tooLarge.get(selector) ?? countIn(selector) > mostRequirements;
  tooLarge.set(selector, known);
  return known;
}

function countIn({ matchLabels = {}, matchExpressions = [] }: LabelSelector): number {
  const inLists = matchExpressions.reduce((sum, { values = [] }) => sum + values.length, 0);
  return Object.keys(matchLabels).length + matchExpressions.length + inLists;
}

/**
 * An empty selector claims nothing: to a controller, "everything" is a mistake. Neither does one
 * that is too large.
 */
export function matches(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (!selector || isTooLarge(selector) || isEmptySelector(selector)) return false;
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every((requirement) => holds(requirement, labels))
  );
}

/** As elsewhere in Kubernetes: one that asks for nothing selects everything. */
export function selectsLabels(selector: LabelSelector | undefined, labels: Labels): boolean {
  return isEmptySelector(selector) || matches(selector, labels);
}

/** A label selector as the API server takes it in a query: `a=b,c in (d,e),!f`. */
export function selectorText(selector: LabelSelector | undefined): string {
  const pairs = Object.entries(selector?.matchLabels ?? {}).map(
    ([key, value]) => `${key}=${value}`,
  );
  const expressions = (selector?.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
  });
  return [...pairs, ...expressions].join(',');
}

/** It asks for nothing. */
export function isEmptySelector(selector: LabelSelector | undefined): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}

/**
 * A label that is missing is not in any list of values. An unknown operator holds for nothing. Each
 * object of JavaScript has what is called `constructor`, also one without such a label.
 */
function holds({ key, operator, values = [] }: LabelSelectorRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  const isListed = value !== undefined && values.includes(value);
  if (operator === 'In') return isListed;
  if (operator === 'NotIn') return !isListed;
  if (operator === 'Exists') return value !== undefined;
  return operator === 'DoesNotExist' && value === undefined;
}

const nameOfLabel = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const prefixOfLabel = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/**
 * A selector that the API server takes in no query: neither do the CRDs read it, nor those of MCM
 * v0.62.1.
 */
export function formFaults(selector: LabelSelector = {}): string[] {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (isTooLarge(selector)) {
    const what = `must have at most ${mostRequirements} labels, expressions and values`;
    return [`spec.selector: Invalid value: ${countIn(selector)}: ${what}`];
  }
  const pairs = Object.entries(matchLabels).flatMap(([key, value]) => [
    ...keyFaults(key, 'spec.selector.matchLabels'),
    ...valueFaults(value, 'spec.selector.matchLabels'),
  ]);
  return [...pairs, ...matchExpressions.flatMap(requirementFaults)];
}

function requirementFaults(
  { key, operator, values = [] }: LabelSelectorRequirement,
  index: number,
): string[] {
  const field = `spec.selector.matchExpressions[${index}]`;
  return [
    ...keyFaults(key, `${field}.key`),
    ...operatorFaults(operator, values, field),
    ...values.flatMap((value) => valueFaults(value, `${field}.values`)),
  ];
}

function operatorFaults(operator: string, values: string[], field: string): string[] {
  const isOfList = operator === 'In' || operator === 'NotIn';
  if (isOfList && values.length === 0) {
    return [
      `${field}.values: Required value: must have a value, because the operator is ${operator}`,
    ];
  }
  if (isOfList || operator === 'Exists' || operator === 'DoesNotExist') return [];
  const what = 'must be In, NotIn, Exists or DoesNotExist';
  return [`${field}.operator: Invalid value: ${quoted(operator)}: ${what}`];
}

function keyFaults(key: string, field: string): string[] {
  const [name = '', prefix, ...more] = key.split('/').toReversed();
  const isFit =
    nameOfLabel.test(name) &&
    (prefix === undefined || prefixOfLabel.test(prefix)) &&
    more.length === 0;
  if (isFit) return [];
  return [
    `${field}: Invalid value: ${quoted(key)}: must be the key of a label, such as pool or example.com/pool`,
  ];
}

function valueFaults(value: string, field: string): string[] {
  if (value === '' || nameOfLabel.test(value)) return [];
  const what =
    'must be the value of a label: at most 63 letters, digits, dashes, underscores and dots';
  return [`${field}: Invalid value: ${quoted(value)}: ${what}`];
}
