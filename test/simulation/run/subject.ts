/** Which objects a violation is about: their names decide which lines of the timeline matter. */

const most = 8;
const shortest = 3;

/** Names of Machines, instances and Nodes in a text, the first ones only. */
export function namesIn(text: string): string[] {
  const tokens = text.match(/[A-Za-z0-9][\w.:/-]*\w/g) ?? [];
  const names = tokens.filter(isName).map(lastPart);
  return [...new Set(names)].slice(0, most);
}

/** A word of plain English has no digit, and no two dashes. */
function isName(token: string): boolean {
  if (isTimeOrAmount(token)) return false;
  return (/\d/.test(token) && /[a-z]/i.test(token)) || token.split('-').length > 2;
}

/** `01:02:03.004`, `2026-01-01T01:02:03Z`, `30s`, `1h30m` */
function isTimeOrAmount(token: string): boolean {
  return /^(?:[\d:.]+|\d{4}-\d\d-\d\d.*|(?:[\d.]+[a-z]{1,3})+)$/i.test(token);
}

/** Of `virtual:///zone/vm-12` and `namespace/name`: notes have it in either form. */
function lastPart(token: string): string {
  const last = token.split('/').at(-1) ?? token;
  return last.length < shortest ? token : last;
}
