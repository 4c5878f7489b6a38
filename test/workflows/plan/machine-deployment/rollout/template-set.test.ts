import type { Candidate } from '../../../../../workflows/plan/machine-deployment/rollout/template-set.ts';
import { setOfTemplate } from '../../../../../workflows/plan/machine-deployment/rollout/template-set.ts';
import { aTemplate } from '../../../../support/builders.ts';

const small = aTemplate();
const large = aTemplate({ spec: { class: { kind: 'MachineClass', name: 'large' } } });

const set = (name: string, revision: number, changes: Partial<Candidate> = {}): Candidate => ({
  name,
  revision,
  template: small,
  ...changes,
});

test.each<{ name: string; restart?: string; sets: Candidate[]; expected: string | undefined }>([
  {
    name: 'none with this template',
    sets: [set('a', 1, { template: large })],
    expected: undefined,
  },

  {
    name: 'with a restart the one of that restart, whatever its revision',
    restart: 'monday',
    sets: [set('a', 1, { restart: 'monday' }), set('b', 2, { restart: 'tuesday' }), set('c', 3)],
    expected: 'a',
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
