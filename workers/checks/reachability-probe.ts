/** Whether both API servers answer. */
import { checkServers } from '../../activities/safety/reachability.ts';
import { nowMs } from '../../activities/system/system.ts';
import type { Outage, Server } from '../../workflows/plan/safety/reachability.ts';
import {
  afterAnswer,
  isFrozen,
  nextCheckSeconds,
} from '../../workflows/plan/safety/reachability.ts';
import { reachabilityInput } from './checks.ts';
import type { Probe, ProbeParts } from './probe.ts';

/** Shorter than a run of an outage, so that there is always one that a search finds. */
const longestWaitSeconds = 300;

export function reachabilityProbe({ settings, dependencies, metrics }: ProbeParts): Probe {
  const check = reachabilityInput(settings);
  const servers: Server[] = dependencies.target ? ['control', 'target'] : ['control'];
  let outage: Outage | undefined;
  return {
    longestWaitSeconds,
    async find() {
      const { away } = await checkServers(dependencies, check);
      outage = afterAnswer(outage, away, nowMs());
      metrics.set('reachability', {
        isFrozen: outage !== undefined && isFrozen(outage, check, nowMs()),
        answers: Object.fromEntries(servers.map((server) => [server, !away.includes(server)])),
      });
      if (!outage) return undefined;
      return { key: away.join(), why: `the API server of ${away.join(' and ')} does not answer` };
    },
    // As a run asks: the metric is to say so in time.
    nextSeconds: () => outage && nextCheckSeconds(outage, check, nowMs()),
  };
}
