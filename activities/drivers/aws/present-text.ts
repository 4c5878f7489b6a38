/** In MCM's classes an empty text is an absent one. */
export function presentText<Text extends string>(
  text: Text | undefined,
): Exclude<Text, ''> | undefined {
  return text !== undefined && isPresent(text) ? text : undefined;
}

function isPresent<Text extends string>(text: Text): text is Exclude<Text, ''> {
  return text !== '';
}
