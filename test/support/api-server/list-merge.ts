/** How a strategic patch merges a list, and in which order its items stand then. */

interface Items {
  keyOf(item: unknown): unknown;
  /** `present` is undefined for an item that is new. */
  mergeItems(present: unknown, item: unknown): unknown;
}

/**
 * The items of the patch in its order, and between them those that only the server has, each before
 * the first item of the patch that stood behind it.
 */
export function mergeLists(
  present: readonly unknown[],
  patch: readonly unknown[],
  { keyOf, mergeItems }: Items,
): unknown[] {
  const places = new Map(present.map((item, place) => [keyOf(item), place]));
  const merged = new Map<unknown, unknown>();
  for (const item of patch) {
    const place = places.get(keyOf(item));
    merged.set(keyOf(item), mergeItems(place === undefined ? undefined : present[place], item));
  }
  const others = present.filter((item) => !merged.has(keyOf(item)));
  const result: unknown[] = [];
  for (const [key, item] of merged) {
    const place = places.get(key) ?? -1;
    while (others.length > 0 && (places.get(keyOf(others[0])) ?? 0) < place) {
      result.push(others.shift());
    }
    result.push(item);
  }
  return [...result, ...others];
}
