import { SimulatedProcess } from '../engine/process.ts';
import { Simulation } from '../engine/simulation.ts';
import { SimulatedTemporal } from './server.ts';

function temporalOf() {
  const simulation = new Simulation(1);
  const fate = { requestMs: 1, answerMs: 1 };
  const temporal = new SimulatedTemporal(simulation, {
    namespace: 'default',
    fateOf: () => fate,
  });
  const process = new SimulatedProcess(simulation, { name: 'user' });
  return { simulation, temporal, client: temporal.clientFor(process, 'user') };
}

async function settled<T>(simulation: Simulation, answer: Promise<T>): Promise<T | Error> {
  const caught = answer.catch((error: unknown) => {
    if (error instanceof Error) return error;
    throw error;
  });
  await simulation.run(simulation.now + 1_000);
  return caught;
}

test('a server that lost its database knows no run, and starts the same id again', async () => {
  const { simulation, temporal, client } = temporalOf();
  const options = { taskQueue: 'a', workflowId: 'machine/a/b' };
  const first = await settled(simulation, client.workflow.start('machine', options));
  expect(first).not.toBeInstanceOf(Error);
  const again = await settled(simulation, client.workflow.start('machine', options));
  expect(again).toMatchObject({ name: 'WorkflowExecutionAlreadyStartedError' });

  temporal.lose();
  const signal = client.workflow.getHandle(options.workflowId).signal('changed');
  expect(await settled(simulation, signal)).toMatchObject({ name: 'WorkflowNotFoundError' });
  const anew = await settled(simulation, client.workflow.start('machine', options));
  expect(anew).not.toBeInstanceOf(Error);
  expect(simulation.violations).toEqual([]);
});

test('its namespace is another one of the same name', async () => {
  const { simulation, temporal, client } = temporalOf();
  const describeNamespace = () =>
    settled(simulation, client.workflowService.describeNamespace({ namespace: 'default' }));
  const before = await describeNamespace();
  expect(await describeNamespace()).toEqual(before);
  temporal.lose();
  expect(await describeNamespace()).not.toEqual(before);
});
