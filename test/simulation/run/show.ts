/** Shows a campaign to people while it runs. */
import type { Listener } from './campaign.ts';
import type { ProgressLine } from './progress-line.ts';

/** Those that follow have a line each: they are in their files, and mostly say the same. */
const fullReportsMost = 10;

/** Failures go to standard output. Without them: progress alone. */
export function listenerOn(line: ProgressLine, showsFailures: boolean): Listener {
  let failures = 0;
  return {
    onProgress: (what) => line.show(what),
    onResult({ failure }) {
      if (!failure || !showsFailures) return;
      failures += 1;
      line.clear();
      const { setup, rule, text, report } = failure;
      const short = `Seed ${setup.seed}: broken: ${rule}: ${text}`;
      console.log(failures > fullReportsMost ? short : `\n${report}\n`);
    },
  };
}
