/**
 * Runs `task` for each item, at most `width` at once. Waits for all of them; the first error is
 * thrown after that.
 */
export async function inParallel<Item>(
  items: readonly Item[],
  width: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const errors: unknown[] = [];
  async function lane(): Promise<void> {
    for (const item of queue) {
      await task(item).catch((error: unknown) => errors.push(error));
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  if (errors.length > 0) throw errors[0];
}
