/**
 * Classes and Secrets that cannot work: said on the Machine, mended by whoever reads it, deletable
 * at any time.
 */
import { namespaced } from '../../../kube/client/paths.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, deleteMachine, untilPhase } from '../support/machines.ts';
import { classManifest, secretManifest, secretName } from '../support/manifests.ts';
import { useScenario } from '../support/scenario.ts';

const classOf = (name: string): { class: { kind: string; name: string } } => ({
  class: { kind: 'MachineClass', name },
});

describe('a Machine', () => {
  const scenario = useScenario('bad-input');
  const { cluster, cloud, namespace } = scenario;

  interface Fault {
    words: string;
    name: string;
    /** Makes what is wrong; gets the name of the class. */
    spoil: (className: string) => Promise<unknown>;
    /** What the Machine says. */
    says: RegExp;
    mend: (className: string) => Promise<unknown>;
  }

  const createClass = (name: string, changes?: object): Promise<unknown> =>
    cluster.create('machineclasses', classManifest({ namespace, name }, changes));
  const createSecret = (name: string, data?: Record<string, string>): Promise<unknown> =>
    cluster.kube.create(
      namespaced('secrets', namespace),
      secretManifest({ namespace, name }, data),
    );

  const faults: Fault[] = [
    {
      words: 'whose class does not exist',
      name: 'no-class',
      spoil: async () => undefined,
      says: /MachineClass .* does not exist/,
      mend: (name) => createClass(name),
    },
    {
      words: 'whose class names a Secret that does not exist',
      name: 'no-secret',
      spoil: (name) => createClass(name, { secret: name }),
      says: /Secret .* does not exist/,
      mend: (name) => createSecret(name),
    },
    {
      words: 'whose Secret has no userData',
      name: 'no-user-data',
      async spoil(name) {
        await createSecret(name, { other: 'text' });
        await createClass(name, { secret: name });
      },
      says: /userData/,
      mend: (name) =>
        cluster.kube.patch(namespaced('secrets', namespace, name), 'merge', {
          stringData: { userData: '' },
        }),
    },
    {
      words: 'whose provider is unknown',
      name: 'no-provider',
      spoil: (name) => createClass(name, { provider: 'nowhere' }),
      says: /"nowhere"/,
      mend: (name) => cluster.patch('machineclasses', name, { provider: 'virtual' }),
    },
    {
      words: 'whose provider spec has a bad field',
      name: 'bad-spec',
      spoil: (name) => createClass(name, { providerSpec: { size: 'enormous' } }),
      says: /providerSpec\.size: "enormous".*small, medium, large/,
      mend: (name) => cluster.patch('machineclasses', name, { providerSpec: { size: 'small' } }),
    },
  ];

  async function untilItSays(name: string, words: RegExp): Promise<Machine> {
    return await eventually('lastOperation and an Event say what is wrong', async () => {
      const machine = await cluster.machine(name);
      expect(machine.status).toMatchObject({
        currentStatus: { phase: 'CrashLoopBackOff' },
        lastOperation: {
          description: expect.stringMatching(words),
          errorCode: 'InvalidArgument',
          state: 'Failed',
          type: 'Create',
        },
      });
      const events = await cluster.events('Machine', name);
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'Warning', message: expect.stringMatching(words) }),
      );
      return machine;
    });
  }

  test.each(faults)('$words says so, and runs once that is mended', async (fault) => {
    const className = scenario.named(fault.name).name;
    await fault.spoil(className);
    const name = await createMachine(scenario, fault.name, classOf(className));
    await untilItSays(name, fault.says);
    expect((await cloud.calls()).createsPerName[name]).toBeUndefined();
    await fault.mend(className);
    await untilPhase(scenario, name, 'Running');
    await deleteMachine(scenario, name);
  });

  test.each(faults)('$words can be deleted', async (fault) => {
    const className = scenario.named(`${fault.name}-gone`).name;
    await fault.spoil(className);
    const name = await createMachine(scenario, `${fault.name}-gone`, classOf(className));
    await untilItSays(name, fault.says);
    await deleteMachine(scenario, name);
    expect((await cloud.calls()).createsPerName[name]).toBeUndefined();
  });

  test('a Machine that runs is not hurt by a class that is spoiled later, and can be deleted', async () => {
    const className = scenario.named('spoiled').name;
    await createClass(className, { secret: secretName });
    const name = await createMachine(scenario, 'spoiled', classOf(className));
    await untilPhase(scenario, name, 'Running');
    await cluster.patch('machineclasses', className, { providerSpec: { size: 'enormous' } });
    await deleteMachine(scenario, name);
    expect(await cloud.instances()).toEqual([]);
  });
});
