/** What a person may not read is named; what there is not, is not; all else is a failure. */
import { KubeError } from '../../../kube/client/errors.ts';
import { TolerantReads } from '../../../cli/install/tolerant.ts';

async function answer(code: number, reason: string): Promise<string> {
  if (code === 200) return await Promise.resolve('an answer');
  throw new KubeError({ code, reason, message: 'said so', method: 'GET', path: '/x' });
}

test('an answer is handed on, and nothing is missing', async () => {
  const reads = new TolerantReads();
  expect(await reads.read('Leases', answer(200, ''))).toBe('an answer');
  expect(reads.unread).toEqual([]);
});

test('each refusal is named once, in the order in which they came', async () => {
  const reads = new TolerantReads();
  for (const what of ['Leases', 'Events', 'Leases']) {
    expect(await reads.read(what, answer(403, 'Forbidden'))).toBeUndefined();
  }
  expect(reads.unread).toEqual(['Leases', 'Events']);
});

test('what is not served is absent, not unread', async () => {
  const reads = new TolerantReads();
  expect(await reads.read('MachineClasses', answer(404, 'NotFound'))).toBeUndefined();
  expect(reads.unread).toEqual([]);
});

test.each([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [500, 'InternalError'],
  [0, 'Unreachable'],
])('an answer %i is thrown', async (code, reason) => {
  const reads = new TolerantReads();
  await expect(reads.read('Leases', answer(code, reason))).rejects.toThrow('said so');
});
