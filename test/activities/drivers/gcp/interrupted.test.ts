/**
 * The connection is cut at every request, before and after the work: there is one instance with its
 * disks, and none after a delete.
 */
import { DriverError } from '../../../../activities/drivers/driver.ts';
import { aSpec, aSharedGcpWorld, gcpRequest, untilOver } from './gcp-world.ts';

// No operation is done when its answer comes, and each is when the driver asks for it.
const world = await aSharedGcpWorld({ millisecondsPerRequest: 1_000 });
beforeEach(() => {
  world.double.cloud.instances = [];
  world.double.cloud.disks = [];
  world.double.calls.length = 0;
});

const providerSpec = {
  ...aSpec,
  disks: [...aSpec.disks, { type: 'SCRATCH', interface: 'NVME' }, { type: 'pd-ssd', sizeGb: 10 }],
};

/**
 * A create asks for: token, look, insert, operation, look. A delete for: token, look, delete,
 * operation, look.
 */
const requestCount = 5;
const cuts = (['cutBefore', 'loseAnswer'] as const).flatMap((kind) =>
  Array.from({ length: requestCount }, (_, skip) => ({ kind, skip })),
);

const unanswered = (): number => world.double.calls.filter(({ status }) => status === 0).length;

/** As the workflow does: until it succeeds; a settled failure takes the next token. */
async function insist<T>(
  call: (generation: number, checkpoint: { checkpoint?: string }) => Promise<T>,
): Promise<T> {
  let generation = 0;
  for (let attempt = 0; attempt < 8; attempt += 1) {
    try {
      return await untilOver((checkpoint) => call(generation, checkpoint));
    } catch (error) {
      if (!(error instanceof DriverError)) throw error;
      if (error.settled) generation += 1;
    }
  }
  throw new Error('it never succeeded');
}

describe.each(cuts)('$kind at request $skip', ({ kind, skip }) => {
  test('a create makes one instance', async () => {
    const name = `create-${kind.toLowerCase()}-${skip}`;
    // A driver of its own, so that the request for a token is among those that are cut.
    const driver = world.aDriver();
    world.double.faults.add({ kind, skip });
    const made = await insist((generation, checkpoint) => {
      const token = `uid-of-${name}-${generation}`;
      return driver.createInstance(gcpRequest(name, { providerSpec, token, ...checkpoint }));
    });
    expect(made.nodeName).toBe(name);
    expect(unanswered()).toBe(1);
    expect(world.double.cloud.insertsByName.get(name)).toBe(1);
    expect(world.double.cloud.instances.map((instance) => instance.name)).toEqual([name]);
    expect(world.double.cloud.disks).toHaveLength(3);
  });

  test('a delete leaves nothing', async () => {
    const name = `delete-${kind.toLowerCase()}-${skip}`;
    await world.driver.createInstance(gcpRequest(name, { providerSpec }));
    const driver = world.aDriver();
    world.double.faults.add({ kind, skip });
    await insist((_, checkpoint) => driver.deleteInstance(gcpRequest(name, checkpoint)));
    expect(unanswered()).toBe(1);
    expect(world.double.cloud.instances).toEqual([]);
    expect(world.double.cloud.disks).toEqual([]);
  });
});
