/** Schedules in five fields as for cron. */
import { Cron } from 'croner';
import { Recent } from './recent.ts';

const minuteMs = 60_000;

/** A parsed schedule takes 90 KB. */
const schedules = new Recent(100, (text) => {
  if (!/^[^\s:]+( [^\s:]+){4}$/.test(text)) throw new Error('there are not five fields');
  // Local times are reckoned with as if they were in UTC: croner leaves one out that is skipped
  // where the clocks come to stand on the next day, and its lists and steps come twice in a
  // repeated hour.
  const cron = new Cron(text, { mode: '5-part', utcOffset: 0 });
  return { cron, hasStart: cron.nextRun(new Date(0)) !== null };
});

/** Why the schedule starts nothing; undefined where it does. */
export function scheduleFault(text: string): string | undefined {
  try {
    return schedules.of(text).hasStart ? undefined : 'there is no such day';
  } catch (error) {
    return String(error).replace(/^\w*Error: (CronPattern: )?(Syntax error, )?/, '');
  }
}

/** The first local time of the schedule after this one. */
export function nextLocal(schedule: string, local: number): number | undefined {
  return schedules
    .of(schedule)
    .cron.nextRun(new Date(wholeMinutes(local)))
    ?.getTime();
}

/** The last local time of the schedule that is not after this one. */
export function lastLocal(schedule: string, local: number): number | undefined {
  const after = new Date(wholeMinutes(local) + minuteMs);
  return schedules.of(schedule).cron.previousRuns(1, after)[0]?.getTime();
}

const wholeMinutes = (local: number): number => Math.floor(local / minuteMs) * minuteMs;
