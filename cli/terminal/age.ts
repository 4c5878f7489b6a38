/** How long ago, as kubectl says it: `5d3h`, `2m10s`. */

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Formats milliseconds. The rules are those of HumanDuration in k8s.io/apimachinery. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  if (seconds < 0) return '0s';
  const rule = rules.find(([below]) => seconds < below);
  return rule ? rule[1](seconds) : `${Math.floor(seconds / year)}y`;
}

const rules: readonly (readonly [below: number, format: (seconds: number) => string])[] = [
  [2 * minute, (seconds) => `${seconds}s`],
  [10 * minute, (seconds) => inTwo(seconds, [minute, 'm'], [1, 's'])],
  [3 * hour, (seconds) => `${Math.floor(seconds / minute)}m`],
  [8 * hour, (seconds) => inTwo(seconds, [hour, 'h'], [minute, 'm'])],
  [2 * day, (seconds) => `${Math.floor(seconds / hour)}h`],
  [8 * day, (seconds) => inTwo(seconds, [day, 'd'], [hour, 'h'])],
  [2 * year, (seconds) => `${Math.floor(seconds / day)}d`],
  [8 * year, (seconds) => inTwo(seconds, [year, 'y'], [day, 'd'])],
];

type Unit = readonly [seconds: number, name: string];

function inTwo(seconds: number, [large, first]: Unit, [small, second]: Unit): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${first}${rest === 0 ? '' : `${rest}${second}`}`;
}

/** Formats a time that may not be known. */
export function ageSince(since: number | undefined, now: number): string {
  return since === undefined ? '<unknown>' : formatAge(now - since);
}
