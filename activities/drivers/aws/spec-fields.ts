/** Single fields of an unchecked provider spec: finding and deleting need no more of the class. */

export function tagKeysOf(providerSpec: unknown): string[] {
  const tags = fieldOf(providerSpec, 'tags');
  return typeof tags === 'object' && tags !== null ? Object.keys(tags) : [];
}

export function fieldOf(providerSpec: unknown, name: string): unknown {
  if (typeof providerSpec !== 'object' || providerSpec === null) return undefined;
  return Object.entries(providerSpec).find(([key]) => key === name)?.[1];
}
