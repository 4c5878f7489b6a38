import { ServedDeletions } from '../../../workers/temporal/inline-deletions.ts';
import type { DeleteOutcome } from '../../../workflows/contracts/driver-contract.ts';
import { removal } from '../../activities/drain/drain-under-test.ts';

const request = removal.deletion;

test('a provider is served once its driver is there', () => {
  const deletions = new ServedDeletions(1);
  expect(deletions.serves('virtual')).toBe(false);
  expect(deletions.deleteInstance(request)).toBeUndefined();
  deletions.add('virtual', { deleteInstance: () => Promise.reject(new Error('not asked')) });
  expect([deletions.serves('virtual'), deletions.serves('AWS')]).toEqual([true, false]);
});

test('a slow cloud takes no more slots than it may, and gives them back however its call ends', async () => {
  const deletions = new ServedDeletions(1);
  const cloud = Promise.withResolvers<DeleteOutcome>();
  deletions.add('virtual', { deleteInstance: () => cloud.promise });
  const first = deletions.deleteInstance(request);
  expect(deletions.deleteInstance(request)).toBeUndefined();
  cloud.reject(new Error('no answer'));
  await expect(first).rejects.toThrow('no answer');
  await expect(deletions.deleteInstance(request)).rejects.toThrow('no answer');
});
