/** Counts attempts of activities that take longer than they may. */
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';
import { after } from '../../activities/system/system.ts';

/**
 * Temporal tries them again, and the worker does not hear of it. Also of one that never ends; not
 * of a worker that is gone.
 */
export function createTimeoutCounter(registry: Registry): ActivityInterceptorsFactory {
  const timedOut = new Counter({
    name: 'millwright_activities_timed_out_total',
    help: 'Attempts of activities that took longer than their limit.',
    labelNames: ['activity'],
    registers: [registry],
  });
  return ({ info: { activityType: activity, startToCloseTimeoutMs } }) => ({
    inbound: {
      async execute(input, next) {
        if (startToCloseTimeoutMs <= 0) return await next(input);
        const limit = after(startToCloseTimeoutMs, () => timedOut.inc({ activity }), {
          keepsAlive: false,
        });
        try {
          return await next(input);
        } finally {
          limit.cancel();
        }
      },
    },
  });
}
