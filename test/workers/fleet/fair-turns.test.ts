import { FairTurns } from '../../../workers/fleet/fair-turns.ts';

/** Calls that end when they are told to, and the order in which they began. */
function calls() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const call = (name: string) => async (): Promise<void> => {
    begun.push(name);
    await new Promise<void>((resolve) => ends.set(name, resolve));
  };
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    // The one that waited begins in the same turn.
    await new Promise(setImmediate);
  };
  return { begun, call, end };
}

test('one with many calls gives way to each other one after each of its own', async () => {
  const turns = new FairTurns(1);
  const { begun, call, end } = calls();
  for (const name of ['a1', 'a2', 'a3']) void turns.take('a', call(name));
  for (const name of ['b1', 'b2']) void turns.take('b', call(name));
  void turns.take('c', call('c1'));
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) {
    expect(begun.at(-1)).toBe(name);
    await end(name);
  }
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
});

test('as many run at a time as may, and a call that fails leaves its place to another', async () => {
  const turns = new FairTurns(2);
  const { begun, call, end } = calls();
  const failing = turns.take('a', async () => {
    begun.push('failing');
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  for (const name of ['a1', 'a2', 'a3']) void turns.take('a', call(name));
  await new Promise(setImmediate);
  expect(begun).toEqual(['failing', 'a1', 'a2']);
  await end('a1');
  expect(begun.at(-1)).toBe('a3');
});
