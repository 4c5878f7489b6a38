/**
 * Whose an instance is, in the value of one tag of EC2 or Azure, for classes that leave no room for
 * a tag for each part of it.
 */

/** On one resource, in both clouds. */
export const tagCountMax = 50;

type Tags = Readonly<Record<string, string>>;

export interface OwnerTag {
  name: string;
  /**
   * The tags whose values stand in it, in this order. None of these has a space, and all together
   * are shorter than the 256 characters that a value may have.
   */
  holds: readonly string[];
}

/**
 * The tags of a class and ours: one for each, or all in one. A tag of the class with one of our
 * names, in any case, is left out: where ours stand in one, it would speak for its owner.
 */
export function tagsWithin(classTags: Tags, ours: Tags, owner: OwnerTag): Record<string, string> {
  const reserved = [...Object.keys(ours), owner.name].map((name) => name.toLowerCase());
  const others = Object.fromEntries(
    Object.entries(classTags).filter(([name]) => !reserved.includes(name.toLowerCase())),
  );
  const all = { ...others, ...ours };
  if (Object.keys(all).length <= tagCountMax) return all;
  return { ...others, [owner.name]: ownerText(ours, owner) };
}

export function ownerText(ours: Tags, { holds }: OwnerTag): string {
  return holds.map((name) => ours[name]).join(' ');
}

/** Of the tag `name` whose value stands in `text`. */
export function valueIn(
  text: string | undefined,
  name: string,
  { holds }: OwnerTag,
): string | undefined {
  return text?.split(' ')[holds.indexOf(name)];
}
