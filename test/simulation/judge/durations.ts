/** Durations as MCM's fields have them. */

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** `1m30s` in milliseconds; undefined for what is absent or no duration. */
export function parseGoDuration(text: string | undefined): number | undefined {
  if (text === undefined || !/^(\d+(\.\d+)?(h|ms|m|s))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, value = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)) {
    sum += Number(value) * (unitMs[unit] ?? 0);
  }
  return sum;
}
