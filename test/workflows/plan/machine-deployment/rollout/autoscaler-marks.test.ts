import type { Marked } from '../../../../../workflows/plan/machine-deployment/rollout/autoscaler-marks.ts';
import {
  marksFor,
  marksOf,
} from '../../../../../workflows/plan/machine-deployment/rollout/autoscaler-marks.ts';

const early = '2026-01-01T00:00:00Z';
const late = '2026-01-01T01:00:00.25+01:00';
const fallback = '2026-01-01T02:00:00Z';

const machine = (name: string, changes: Partial<Marked> = {}): Marked => ({
  name,
  isDeleting: false,
  phase: 'Running',
  ...changes,
});
const marked = (name: string, mark = early): Marked => machine(name, { priority: '1', mark });

const look = (list: string, ...machines: Marked[]) => marksOf(list, machines, fallback);

describe('machines on the list', () => {
  test.each<{ name: string; machine: Marked; list: string; expected: object | undefined }>([
    {
      name: 'are preferred, and get the time of their entry',
      machine: machine('a'),
      list: `a~${late}`,
      expected: { preferred: ['a'], machines: [{ name: 'a', time: late }], list: `a~${late}` },
    },
    {
      name: 'get the fallback where their entry has none, and so does the list',
      machine: machine('a'),
      list: 'a',
      expected: {
        preferred: ['a'],
        machines: [{ name: 'a', time: fallback }],
        list: `a~${fallback}`,
      },
    },
    {
      name: 'keep the mark that they have',
      machine: machine('a', { mark: early }),
      list: `a~${late}`,
      expected: { preferred: ['a'], machines: [], list: `a~${late}` },
    },
    {
      name: 'get their priority back',
      machine: machine('a', { mark: early, priority: '3' }),
      list: `a~${late}`,
      expected: { preferred: ['a'], machines: [], list: `a~${late}` },
    },
    {
      name: 'get their time where they have the priority already',
      machine: machine('a', { priority: '1' }),
      list: `a~${late}`,
      expected: { preferred: [], machines: [{ name: 'a', time: late }], list: `a~${late}` },
    },
    {
      name: 'that are marked already need nothing',
      machine: marked('a'),
      list: `a~${late}`,
      expected: undefined,
    },
    {
      name: 'may have spaces around them',
      machine: marked('a'),
      list: ` a~${early} `,
      expected: { preferred: [], machines: [], list: `a~${early}` },
    },
  ])('$name', ({ machine: known, list, expected }) => {
    expect(look(list, known)).toEqual(expected && { was: list, ...expected });
  });
});

describe('entries that go from the list', () => {
  test.each<{ name: string; list: string; machines: Marked[] }>([
    { name: 'of no machine', list: `gone~${early}`, machines: [] },
    {
      name: 'of one that is going',
      list: `a~${early}`,
      machines: [machine('a', { isDeleting: true })],
    },
    {
      name: 'of one that has failed',
      list: `a~${early}`,
      machines: [machine('a', { phase: 'Failed' })],
    },
    { name: 'with a time that is none', list: 'a~soon', machines: [machine('a')] },
    { name: 'with an empty time', list: 'a~', machines: [machine('a')] },
    { name: 'with a time without a zone', list: 'a~2026-01-01T00:00:00', machines: [machine('a')] },
    { name: 'with more than a time', list: `a~${early}~${late}`, machines: [machine('a')] },
    { name: 'without a name', list: `~${early},,`, machines: [machine('a')] },
    { name: 'of an empty list', list: '', machines: [machine('a')] },
  ])('$name', ({ list, machines }) => {
    expect(look(list, ...machines)).toEqual({
      preferred: [],
      machines: [],
      was: list,
      list: null,
    });
  });

  test('leave the others in their order', () => {
    const list = `a~${early},gone~${early},b~${late}`;
    expect(look(list, marked('a'), marked('b'))).toEqual({
      preferred: [],
      machines: [],
      was: list,
      list: `a~${early},b~${late}`,
    });
  });
});

describe('before the sets have their sizes', () => {
  const marks = { preferred: ['a'], machines: [{ name: 'a', time: early }], was: 'a', list: 'a' };

  test('machines are preferred only', () => {
    expect(marksFor(marks, false)).toEqual({ ...marks, machines: [] });
    expect(marksFor(marks, true)).toEqual(marks);
  });

  test('nothing is to do where they are preferred already', () => {
    expect(marksFor({ ...marks, preferred: [] }, false)).toBeUndefined();
    expect(marksFor(undefined, false)).toBeUndefined();
  });

  test('the list is shortened all the same', () => {
    const shortened = { ...marks, preferred: [], list: null };
    expect(marksFor(shortened, false)).toEqual({ ...shortened, machines: [] });
  });
});
