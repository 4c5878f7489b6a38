import type { Candidate } from '../../../../../workflows/plan/machine-deployment/rollout/template-set.ts';
import { setOfTemplate } from '../../../../../workflows/plan/machine-deployment/rollout/template-set.ts';
import { aTemplate } from '../../../../support/builders.ts';

const small = aTemplate();
const large = aTemplate({ spec: { class: { kind: 'MachineClass', name: 'large' } } });
const hashed = aTemplate({ metadata: { labels: { pool: 'a', 'machine-template-hash': '7' } } });

const set = (name: string, revision: number, changes: Partial<Candidate> = {}): Candidate => ({
  name,
  revision,
  template: small,
  ...changes,
});

test.each<{ name: string; restart?: string; sets: Candidate[]; expected: string | undefined }>([
  { name: 'no set', sets: [], expected: undefined },
  {
    name: 'none with this template',
    sets: [set('a', 1, { template: large })],
    expected: undefined,
  },
  {
    name: 'the one with it, its hash label left out',
    sets: [set('a', 2, { template: large }), set('b', 1, { template: hashed })],
    expected: 'b',
  },
  {
    name: 'of several the highest revision',
    sets: [set('a', 1), set('b', 3), set('c', 2)],
    expected: 'b',
  },
  { name: 'of equal revisions the oldest', sets: [set('a', 0), set('b', 0)], expected: 'a' },
  {
    name: 'with a restart the one of that restart, whatever its revision',
    restart: 'monday',
    sets: [set('a', 1, { restart: 'monday' }), set('b', 2, { restart: 'tuesday' }), set('c', 3)],
    expected: 'a',
  },
  { name: 'with a new restart none', restart: 'monday', sets: [set('a', 1)], expected: undefined },
  {
    name: 'with a restart of another template none',
    restart: 'monday',
    sets: [set('a', 1, { template: large, restart: 'monday' })],
    expected: undefined,
  },
  {
    name: 'without a restart also one that was made for a restart',
    sets: [set('a', 1), set('b', 2, { restart: 'monday' })],
    expected: 'b',
  },
])('the set of a template: $name', ({ restart, sets, expected }) => {
  const wanted = { template: small, ...(restart !== undefined && { restart }) };
  expect(setOfTemplate(wanted, sets)?.name).toBe(expected);
});
