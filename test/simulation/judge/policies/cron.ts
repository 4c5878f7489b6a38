/** Schedules in five fields, as users here write them: lists, ranges, steps and names. */

/** A minute as a clock on a wall shows it. */
export interface WallMinute {
  minute: number;
  hour: number;
  day: number;
  /** From 1. */
  month: number;
  /** From 0, a Sunday. */
  weekday: number;
}

interface Field {
  of: keyof WallMinute;
  least: number;
  most: number;
}

const fields: readonly Field[] = [
  { of: 'minute', least: 0, most: 59 },
  { of: 'hour', least: 0, most: 23 },
  { of: 'day', least: 1, most: 31 },
  { of: 'month', least: 1, most: 12 },
  { of: 'weekday', least: 0, most: 7 },
];
const names = [
  'SUN MON TUE WED THU FRI SAT',
  'X JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC',
].map((line) => line.split(' '));
const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export type Cron = Readonly<Record<keyof WallMinute, ReadonlySet<number>>>;

/** Throws for what the judge cannot read, which no user here writes. */
export function parseCron(schedule: string): Cron {
  const texts = schedule.split(' ');
  const [day, weekday] = [texts[2], texts[4]];
  if (texts.length !== fields.length) throw new Error(`${schedule}: has not five fields`);
  if (day !== '*' && weekday !== '*') throw new Error(`${schedule}: names days in two ways`);
  const sets = fields.map((field, index) => [field.of, valuesOf(texts[index] ?? '', field)]);
  return Object.assign(Object.fromEntries(sets));
}

export function isAt(cron: Cron, wall: WallMinute): boolean {
  return fields.every(({ of }) => cron[of].has(wall[of]));
}

/** A day that no month of the schedule has. */
export function neverComes({ day, month }: Cron): boolean {
  return ![...month].some((one) => [...day].some((of) => of <= (longestMonths[one - 1] ?? 0)));
}

function valuesOf(text: string, field: Field): Set<number> {
  const values = text.split(',').flatMap((part) => partOf(part, field));
  return new Set(field.of === 'weekday' ? values.map((value) => value % 7) : values);
}

function partOf(part: string, { least, most }: Field): number[] {
  const [range = '', step = '1'] = part.split('/');
  const [first = '', last] = range.split('-');
  const from = range === '*' ? least : numberOf(first);
  const upTo = last === undefined ? from : numberOf(last);
  const to = range === '*' || (last === undefined && part.includes('/')) ? most : upTo;
  const count = Math.floor((to - from) / Number(step)) + 1;
  return Array.from({ length: count }, (_, index) => from + index * Number(step));
}

function numberOf(text: string): number {
  const found = names.map((line) => line.indexOf(text)).find((index) => index >= 0);
  const value = found ?? Number(text);
  if (!Number.isInteger(value)) throw new Error(`${text}: is nothing that the judge can read`);
  return value;
}
