import { unexplained } from './repairs.ts';

const causes = { terminated: 1, vanished: 1 };

test('as many repairs as chaos caused are explained', () => {
  expect(unexplained({ restored: ['machine a: terminated'], orphans: ['a', 'b'] }, causes)).toEqual(
    [],
  );
});

test('a lost workflow or a leaked instance that a check repaired is a violation', () => {
  const restored = ['machine a: terminated', 'machine b: its last signal was lost'];
  expect(unexplained({ restored, orphans: ['a', 'b', 'c'] }, causes)).toEqual([
    '2 workflows were started again, and 1 were terminated: machine a: terminated; machine b: its last signal was lost',
    '3 orphans were deleted, after 1 VMs that vanished and 1 workflows that were terminated: a, b, c',
  ]);
});
