/** How a worker shows that it was given tasks of other installs. */
import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';
import type { Rejection } from '../../activities/place-interceptor.ts';
import type { Logger } from '../log/logger.ts';

export function registerForeignTasks(
  registry: Registry,
  log: Logger,
): (rejection: Rejection) => void {
  const tasks = new Counter({
    name: 'millwright_foreign_tasks_total',
    help: 'Tasks of other clusters or namespaces that this worker was given, and handed back.',
    labelNames: ['activity'],
    registers: [registry],
  });
  return (rejection) => {
    tasks.inc({ activity: rejection.activity });
    log.warn({ ...rejection }, 'a task of another install was handed back');
  };
}
