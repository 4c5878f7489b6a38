import type { Config } from '../config/config.ts';
import type { Waiting } from '../kube/clients.ts';
import type { Process } from '../process/process.ts';
import { untilReached } from '../process/reach.ts';
import type { WorkerFactory } from './worker-factory.ts';

/** The workers have a connection of their own, which closes with the process. */
export async function untilConnected(
  { config, shutdown }: Pick<Process, 'config' | 'shutdown'>,
  { workerFactory }: { workerFactory(settings: Config): Promise<WorkerFactory> },
  waiting: Waiting,
): Promise<WorkerFactory> {
  const factory = await untilReached({
    server: `Temporal at ${config.temporal.address} (worker)`,
    attempt: () => workerFactory(config),
    ...waiting,
  });
  shutdown.add('Temporal connection', () => factory.close());
  return factory;
}
