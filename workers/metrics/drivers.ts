/**
 * Counts and times the calls of drivers, for Prometheus: in names of our own, and in those of MCM
 * v0.62.1 for its dashboards.
 */
import type { Registry } from 'prom-client';
import { Counter, Histogram } from 'prom-client';
import type { Operation } from '../../activities/drivers/with-calls.ts';
import { machineErrorCodes } from '../../workflows/api/failures.ts';
import type { MeterParts } from '../drivers/pipeline.ts';
import type { PaceParts } from '../drivers/pace.ts';

/**
 * As Gardener's AWS and Azure drivers name them. MCM deletes orphans as it deletes machines, and
 * reads no consoles.
 */
const mcmOperations: Partial<Record<Operation, string>> = {
  create: 'create_machine',
  describe: 'get_machine_status',
  initialize: 'initialize_machine',
  delete: 'delete_machine',
  list: 'list_machine',
  deleteListed: 'delete_machine',
};

/** Seconds. A delete waits until its instance is gone, up to 4 minutes. */
const buckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

export function registerDriverMetrics(registry: Registry): MeterParts['count'] {
  const registers = [registry];
  const calls = new Counter({
    name: 'millwright_driver_calls_total',
    help: 'Calls of drivers that ended, by code; OK: with success.',
    labelNames: ['provider', 'operation', 'code'],
    registers,
  });
  const durations = new Histogram({
    name: 'millwright_driver_call_duration_seconds',
    help: 'How long calls of drivers took, however they ended.',
    labelNames: ['provider', 'operation'],
    buckets,
    registers,
  });
  const tellMcm = registerMcmMetrics(registry);
  return (call) => {
    const { provider, operation, code, seconds } = call;
    calls.inc({ provider, operation, code });
    durations.observe({ provider, operation }, seconds);
    tellMcm(call);
  };
}

export function registerPaceMetrics(
  registry: Registry,
): Pick<PaceParts, 'onThrottled' | 'onHeldBack'> {
  const registers = [registry];
  const throttled = new Counter({
    name: 'millwright_driver_throttled_total',
    help: 'Calls of drivers that the cloud refused because the account made too many.',
    labelNames: ['provider'],
    registers,
  });
  const heldBack = new Counter({
    name: 'millwright_driver_held_back_total',
    help: 'Calls of drivers that were not made yet because the account was throttled before.',
    labelNames: ['provider', 'operation'],
    registers,
  });
  return {
    onThrottled: (provider) => throttled.inc({ provider }),
    onHeldBack: (provider, operation) => heldBack.inc({ provider, operation }),
  };
}

/** MCM times successes only, writes providers in lower case, and codes as numbers. */
function registerMcmMetrics(registry: Registry): MeterParts['count'] {
  const registers = [registry];
  const byService = { labelNames: ['provider', 'service'], registers } as const;
  const requests = new Counter({
    name: 'mcm_cloud_api_requests_total',
    help: 'Calls of drivers that succeeded; service: the operation.',
    ...byService,
  });
  const failedRequests = new Counter({
    name: 'mcm_cloud_api_requests_failed_total',
    help: 'Calls of drivers that failed; service: the operation.',
    ...byService,
  });
  const requestSeconds = new Histogram({
    name: 'mcm_cloud_api_api_request_duration_seconds',
    help: 'How long calls of drivers took that succeeded; service: the operation.',
    buckets,
    ...byService,
  });
  const driverSeconds = new Histogram({
    name: 'mcm_cloud_api_driver_request_duration_seconds',
    help: 'How long calls of drivers took that succeeded.',
    labelNames: ['provider', 'operation'],
    buckets,
    registers,
  });
  const failedDriverRequests = new Counter({
    name: 'mcm_cloud_api_driver_requests_failed_total',
    help: 'Calls of drivers that failed, by the number of the code.',
    labelNames: ['provider', 'operation', 'error_code'],
    registers,
  });
  return (call) => {
    const provider = call.provider.toLowerCase();
    const operation = mcmOperations[call.operation];
    if (operation === undefined) return;
    if (call.code === 'OK') {
      requests.inc({ provider, service: operation });
      requestSeconds.observe({ provider, service: operation }, call.seconds);
      driverSeconds.observe({ provider, operation }, call.seconds);
      return;
    }
    // OK is 0.
    const errorCode = machineErrorCodes.indexOf(call.code) + 1;
    failedRequests.inc({ provider, service: operation });
    failedDriverRequests.inc({ provider, operation, error_code: errorCode });
  };
}
