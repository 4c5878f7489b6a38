import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { runOptionsOf } from '../../../watcher/queue/delivery.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { Machines, SetWorld } from '../machine-set/set-world.ts';

const otherCode = fileURLToPath(new URL('../../support/other-workflows.ts', import.meta.url));

const temporal = TemporalForTests.ofFile();

test('a run whose history cannot be replayed begins anew, and acts', async () => {
  const machines = new Machines(2);
  const world = new SetWorld(temporal, 'machineSet', machines.steps());
  const logger = new DefaultLogger('ERROR');
  const other = await bundleWorkflowCode({ workflowsPath: otherCode, logger });
  await temporal.withOtherCode(other, world.ref.namespace, async () => {
    await world.observe({}, runOptionsOf({ workflowTaskSeconds: 10, heartbeatSeconds: 30 }));
    await eventually('its first timer runs', async () => {
      const { events = [] } = await world.handle.fetchHistory();
      return (events ?? []).some(({ timerStartedEventAttributes: timer }) => timer);
    });
  });
  await world.run(async () => {
    await world.observe({ generation: 2 });
    await world.log.until('createMachines', 2);
    expect(machines.names.size).toBe(2);
  });
});
