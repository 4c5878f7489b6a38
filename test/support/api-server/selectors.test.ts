/** Which objects kube-apiserver 1.35 selected, and which selectors it refused. */
import { fieldTestOf } from './field-selectors.ts';
import { labelTestOf } from './label-selectors.ts';
import { resources } from './resources.ts';
import { StatusError } from './status.ts';
import { refusedLabelSelectors } from './refused-selectors.ts';

const known = { l1: { l: '1' }, l2: { l: '2', m: 'x' }, none: {}, empty: { l: '' } };

test.each([
  ['', ['l1', 'l2', 'none', 'empty']],
  ['l', ['l1', 'l2', 'empty']],
  ['!l', ['none']],
  ['l=1', ['l1']],
  [' l == 1 ', ['l1']],
  ['l!=1', ['l2', 'none', 'empty']],
  ['l in (1, 2),m', ['l2']],
  ['l in(1,2)', ['l1', 'l2']],
  ['l notin (1)', ['l2', 'none', 'empty']],
  ['l in (,1)', ['l1', 'empty']],
  ['l in ()', ['empty']],
  ['l=', ['empty']],
  ['l>1', ['l2']],
  ['l<2', ['l1']],
  ['in in (1)', []],
])('%j selects %j', (selector, expected) => {
  const isSelected = labelTestOf(selector);
  const found = Object.entries(known).filter(([, labels]) => isSelected(labels));
  expect(found.map(([name]) => name)).toEqual(expected);
});

test.each([...refusedLabelSelectors, 'l in (1;2)', 'l,'])('%j is refused', (selector) => {
  expect(() => labelTestOf(selector)).toThrow(SyntaxError);
});

const pods = resources.find(({ kind }) => kind === 'Pod');
const pod = {
  metadata: { name: 'a,b', uid: '', resourceVersion: '', creationTimestamp: '' },
  spec: { nodeName: 'n' },
};

test.each([
  ['metadata.name=a\\,b', true],
  ['metadata.name==a', false],
  ['spec.nodeName!=n', false],
  ['spec.nodeName=n,status.phase=', true],
  ['spec.nodeName=n,', true],
  ['a>5', 400],
  ['metadata.name', 400],
  ['=a', 400],
  ['spec.nothing=1', 400],
])('the fields %j: %j', (selector, expected) => {
  expect(outcomeOf(selector)).toBe(expected);
});

function outcomeOf(selector: string): boolean | number | undefined {
  if (!pods) throw new Error('there are no pods');
  try {
    return fieldTestOf(pods, selector)(pod);
  } catch (error) {
    if (error instanceof StatusError) return error.status.code;
    throw error;
  }
}
