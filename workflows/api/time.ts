/** Times as Kubernetes writes them: RFC 3339. */

const pattern = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** Nine digits of a second and an offset take 35 characters. */
const longestText = 64;

/**
 * Milliseconds; undefined for anything else. JavaScript alone reads `5` as a day in 2001, and a
 * deadline in the past deletes pods by force.
 *
 * @param parse Where there is no clock, as in plans, it is handed in.
 */
export function timeIn(
  text: string | null | undefined,
  parse: (text: string) => number,
): number | undefined {
  if (text === null || text === undefined || text.length > longestText) return undefined;
  if (!pattern.test(text)) return undefined;
  const time = parse(text);
  return Number.isNaN(time) ? undefined : time;
}
