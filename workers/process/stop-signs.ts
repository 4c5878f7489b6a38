/** How a process shows that everything is stopped. */
import type { Registry } from 'prom-client';
import type { GlobalStopOptions, Stop, StopView } from '../../kube/objects/global-stop.ts';
import { formatStop } from '../../kube/objects/global-stop.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../log/logger.ts';
import { registerComputed } from '../metrics/computed.ts';

export function logStop(log: Logger, namespace: string, stop: Stop | undefined): void {
  if (stop) log.warn({ ...stop }, formatStop(namespace, stop));
  else log.warn({ namespace }, 'the stop is over: machines are created and deleted again');
}

/**
 * For a process that stands in for MCM: gardenlet's Role grants no ConfigMaps. Any other waits
 * until it can read the stop.
 */
export function withoutStop(
  { isNamedAsMcm }: Pick<Config, 'isNamedAsMcm'>,
  log: Logger,
): Pick<GlobalStopOptions, 'onForbidden'> {
  if (!isNamedAsMcm) return {};
  return {
    onForbidden: (err) =>
      log.warn({ err }, 'the ConfigMap millwright-stop may not be read: there is no stop'),
  };
}

/**
 * Such a process is ready all the same: restarting it or leaving it out would change nothing.
 *
 * `stops`: by namespace.
 */
export function registerStopMetric(registry: Registry, stops: ReadonlyMap<string, StopView>): void {
  registerComputed(
    registry,
    [
      {
        name: 'millwright_stopped',
        type: 'gauge',
        help: '1 while the ConfigMap millwright-stop keeps everything from being created or deleted.',
        labels: ['kube_namespace'],
        read: ([namespace, stop]) => [
          { labels: { kube_namespace: namespace }, value: stop.current() ? 1 : 0 },
        ],
      },
    ],
    () => stops,
  );
}
