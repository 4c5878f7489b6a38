import {
  overrideChange,
  resumeChange,
  rollbackChange,
} from '../../../../../workflows/plan/machine-deployment/rollout/command-change.ts';

test('who resumes past the first machines says which revision a person has checked', () => {
  expect(resumeChange(undefined)).toEqual({ message: 'Resumed', spec: { paused: null } });
  expect(resumeChange(3)).toEqual({
    message: 'Resumed, past the first machines of revision 3',
    annotations: { 'millwright.dev/canary-passed': '3' },
    spec: { paused: null },
  });
});

test('a rollback to revision 0 is one to the revision before', () => {
  expect(rollbackChange(0).message).toBe('Rollback to the previous revision');
  expect(rollbackChange(2)).toMatchObject({ spec: { rollbackTo: { revision: 2 } } });
});

test('who overrides policies says until when, why, and who asks', () => {
  const override = ['2026-01-31T22:00:00Z', 'CVE-2026-1234'] as const;
  const key = 'millwright.dev/override-policies';
  expect(overrideChange(...override)).toEqual({
    message: 'Policies overridden until 2026-01-31T22:00:00Z: CVE-2026-1234',
    annotations: { [key]: '2026-01-31T22:00:00Z CVE-2026-1234' },
  });
  expect(overrideChange(...override, ' ada\nof ops').annotations).toEqual({
    [key]: '2026-01-31T22:00:00Z CVE-2026-1234 (by ada of ops)',
  });
});
