import { isSpecObserved } from '../../../kube/objects/generation.ts';

test.each([
  { name: 'the present generation', generation: 2, observedGeneration: 2, isObserved: true },
  { name: 'an earlier generation', generation: 2, observedGeneration: 1, isObserved: false },
  { name: 'no generation yet', generation: 1, observedGeneration: undefined, isObserved: false },
  { name: 'an object without one', generation: undefined, observedGeneration: 1, isObserved: true },
])('a status for $name', ({ generation, observedGeneration, isObserved }) => {
  const metadata = generation === undefined ? {} : { generation };
  const status = observedGeneration === undefined ? {} : { observedGeneration };
  expect(isSpecObserved({ metadata, status })).toBe(isObserved);
});

test('an object without a status was not observed', () => {
  expect(isSpecObserved({ metadata: { generation: 1 } })).toBe(false);
});
