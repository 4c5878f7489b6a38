/**
 * Specs that a driver must refuse: one field of a good spec with a value of another type, and those
 * that a person names.
 */

export interface BadSpec {
  /** Top-level; it has to stand in the driver's words. */
  field: string;
  value: unknown;
  providerSpec: unknown;
}

/** A class with many fields is not tried with all of them. */
const fieldsMax = 5;

export function badSpecsOf(good: unknown, named: readonly Record<string, unknown>[]): BadSpec[] {
  const spec: Record<string, unknown> = { ...Object(good) };
  const ofFields = Object.entries(spec)
    .filter(([, value]) => value !== null && value !== undefined)
    .slice(0, fieldsMax)
    .map(([field, value]) => ({
      [field]: typeof value === 'object' ? 'verify' : { verify: true },
    }));
  return [...ofFields, ...named].flatMap((change) => {
    const [first] = Object.entries(change);
    if (!first) return [];
    const [field, value] = first;
    return [{ field, value, providerSpec: { ...spec, ...change } }];
  });
}
