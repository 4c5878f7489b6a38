/** Durations as Go writes them, e.g. `1h30m`; in our code they are seconds. */

const secondsPerUnit: Record<string, number> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};

/** There is one way to split the digits, so that a text that fails has cost one pass. */
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy;

/** Go's Duration.String gives at most 25 characters. */
const longestText = 64;

/** Go counts nanoseconds in 64 bits. */
const secondsMax = 2 ** 63 / 1e9;

/**
 * Seconds of a duration: `1h30m`, `90s`, `1.5m`, `0`. Undefined where Go's ParseDuration would
 * refuse the text, for one of over 64 characters, and for a negative one: nothing can take so long.
 */
export function parseDuration(text: string): number | undefined {
  if (text.length > longestText) return undefined;
  const unsigned = text.replace(/^[+]/, '');
  if (unsigned === '0') return 0;
  const parts = [...unsigned.matchAll(part)];
  if (unsigned === '' || parts.map(([whole]) => whole).join('') !== unsigned) return undefined;
  const seconds = parts.reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (secondsPerUnit[unit] ?? 0),
    0,
  );
  return seconds > secondsMax ? undefined : seconds;
}

/** The text that Go's Duration.String gives: `2h0m0s`, `1m30s`, `1.5s`, `300ms`, `0s`. */
export function formatDuration(seconds: number): string {
  const sign = seconds < 0 ? '-' : '';
  const size = Number(Math.abs(seconds).toFixed(9));
  return sign + (size < 1 ? formatFraction(size) : formatWhole(size));
}

function formatWhole(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = `${Number((seconds % 60).toFixed(9))}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}

function formatFraction(seconds: number): string {
  if (seconds === 0) return '0s';
  const unit = (['ms', 'µs', 'ns'] as const).find((name) => seconds >= (secondsPerUnit[name] ?? 0));
  return `${Number((seconds / (secondsPerUnit[unit ?? 'ns'] ?? 1)).toFixed(6))}${unit ?? 'ns'}`;
}
