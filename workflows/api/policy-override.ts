/** What an override of DisruptionPolicies, `millwright.dev/override-policies`, may be. */

/** One that is forgotten ends by itself. */
export const longestOverrideMs = 7 * 24 * 3_600_000;

/** It stands in histories and Events. */
export const longestReason = 200;

export const allowedReason = `must be a text of one line, of at most ${longestReason} characters`;

export function isReason(text: string): boolean {
  return text.length <= longestReason && /^\S(.*\S)?$/.test(text);
}
