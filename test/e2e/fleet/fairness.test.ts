/** Whose task a worker gets next when a hundred wait: the real server with the stack's settings. */
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { inParallel } from '../../../activities/runtime/parallel.ts';
import { createDelivery } from '../../../watcher/queue/delivery.ts';
import type { Signal } from '../../../watcher/dispatch/signal.ts';
import { testStack } from '../support/test-stack.ts';

const namespace = 'fairness';
const cluster = randomUUID();
const taskQueue = `fairness/${cluster}`;
const largePool = 100;
/** Of both pools together: a fair share is two, and what the server has in hand goes first. */
const polls = 10;
const pollMs = 30_000;

describe('a machine beside a large pool', () => {
  let connection: Connection;
  let client: Client;
  const started: string[] = [];

  beforeAll(async () => {
    connection = await Connection.connect({ address: testStack().temporalAddress });
    client = new Client({ connection });
  });

  afterAll(async () => {
    await Promise.all(started.map((id) => client.workflow.getHandle(id).terminate('test is over')));
    await connection.close();
  });

  async function begin(pool: string, name: string): Promise<void> {
    const timeouts = { workflowTaskSeconds: 60, heartbeatSeconds: 30 };
    const place = { namespace, cluster, clusterName: cluster, taskQueue };
    const options = { ...place, timeouts, creationTimeoutSeconds: 1_200 };
    await createDelivery({ temporal: client, ...options })(signalOf(pool, name));
    started.push(`machine/${cluster}/${namespace}/${name}`);
  }

  /** Names in the order in which a worker gets their first tasks. */
  async function firstTasks(): Promise<string[]> {
    const names: string[] = [];
    for (let poll = 0; poll < polls; poll += 1) {
      const { workflowExecution } = await connection.withDeadline(Date.now() + pollMs, () =>
        connection.workflowService.pollWorkflowTaskQueue({
          namespace: 'default',
          taskQueue: { name: taskQueue },
          identity: 'fairness test',
        }),
      );
      names.push(workflowExecution?.workflowId?.split('/').at(-1) ?? 'none');
    }
    return names;
  }

  test('does not wait for all that came before it', async () => {
    const large = Array.from({ length: largePool }, (_, index) => `large-${index}`);
    // A hundred at once have no answer within the limit of a delivery where the machine is busy.
    await inParallel(large, 10, (name) => begin('large', name));
    await begin('lone', 'lone-0');
    expect(await firstTasks()).toContain('lone-0');
  });
});

function signalOf(pool: string, name: string): Signal {
  return {
    kind: 'machine',
    object: name,
    name: 'machineObserved',
    payload: { cluster, epoch: 1, resourceVersion: '1', uid: name },
    start: { summary: `Machine ${name}`, machineSet: `${pool}-1`, machineDeployment: pool },
    cause: { resource: 'machines', resourceVersion: '1' },
  };
}
