/**
 * What is wrong with a MachineClass is said on it, before a machine is tried, and no more once it
 * is mended.
 */
import { annotations } from '../../../workflows/api/constants.ts';
import type { MachineClass } from '../../../workflows/api/machine-class.ts';
import { operatorRequests } from '../support/audit.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, deleteMachine, untilPhase, untilRunning } from '../support/machines.ts';
import { classManifest, secretName } from '../support/manifests.ts';
import { useScenario } from '../support/scenario.ts';
import { createSet, deleteSet } from '../support/sets.ts';

const classOf = (name: string) => ({ class: { kind: 'MachineClass', name } });

describe('a MachineClass', () => {
  const scenario = useScenario('machine-class');
  const { cluster, cloud, namespace } = scenario;

  async function createClass(short: string, changes: object = {}): Promise<string> {
    const { name } = scenario.named(short);
    const manifest = classManifest({ namespace, name });
    await cluster.create('machineclasses', { ...manifest, ...changes });
    return name;
  }

  async function noteOf(name: string): Promise<string | undefined> {
    const path = cluster.pathOf('machineclasses', name);
    const { metadata } = await cluster.kube.get<MachineClass>(path);
    return metadata.annotations?.[annotations.invalid];
  }

  async function untilItSays(name: string, words: unknown): Promise<void> {
    await eventually(`the annotation of MachineClass ${name}`, async () => {
      expect(await noteOf(name)).toEqual(words);
    });
  }

  /** As soon as there is one: Events come a moment after what they report. */
  async function eventsOf(name: string, reason: string): Promise<unknown[]> {
    await untilEvent(scenario, { kind: 'MachineClass', name }, { reason });
    const events = await cluster.events('MachineClass', name);
    return events.filter((event) => event.reason === reason);
  }

  test('with a bad provider spec says so before there is any machine, and its machines come up once it is mended', async () => {
    const name = await createClass('bad', { providerSpec: { size: 'enormous' } });
    const words = expect.stringMatching(/^providerSpec\.size: "enormous" .*small, medium, large/);
    await untilItSays(name, words);
    const subject = { kind: 'MachineClass', name };
    await untilEvent(scenario, subject, { type: 'Warning', reason: 'InvalidClass' });

    const set = await createSet(scenario, 'bad', { replicas: 2, ...classOf(name) });
    await eventually('each machine says why it waits', async () => {
      const machines = await cluster.machines();
      expect(machines.map(({ status }) => status?.lastOperation)).toEqual(
        Array.from({ length: 2 }, () => ({
          description: expect.stringContaining('providerSpec.size: "enormous"'),
          errorCode: 'InvalidArgument',
          state: 'Failed',
          type: 'Create',
          lastUpdateTime: expect.any(String),
        })),
      );
    });
    expect((await cloud.calls()).operations).toEqual({});

    await cluster.patch('machineclasses', name, { providerSpec: { size: 'small' } });
    await untilItSays(name, undefined);
    await untilEvent(scenario, subject, { type: 'Normal', reason: 'ClassValid' });
    await untilRunning(scenario, set, 2);
    await deleteSet(scenario, set);
  });

  test('with a Secret of another namespace is refused, and its machines can be deleted', async () => {
    const secretRef = { name: secretName, namespace: 'kube-system' };
    const name = await createClass('foreign', { secretRef });
    const words = `secretRef.namespace: "kube-system" is not allowed: Secrets are read in ${namespace} only`;
    await untilItSays(name, words);
    const machine = await createMachine(scenario, 'foreign', classOf(name));
    const told = { message: expect.stringContaining(words) };
    await untilEvent(scenario, { kind: 'Machine', name: machine }, told);
    await deleteMachine(scenario, machine);
    expect(await cloud.instances()).toEqual([]);

    await cluster.patch('machineclasses', name, { secretRef: { name: secretName, namespace } });
    await untilItSays(name, undefined);
  });

  test('without a driver says so, and no more when its provider is mended', async () => {
    const name = await createClass('nowhere', { provider: 'nowhere' });
    await untilItSays(name, 'provider: "nowhere" has no driver: no worker serves its task queue');
    await cluster.patch('machineclasses', name, { provider: 'virtual' });
    await untilItSays(name, undefined);
    expect(await eventsOf(name, 'ClassValid')).toHaveLength(1);
  });

  test('whose credentials are refused says so once for all its machines, until they are taken', async () => {
    const name = await createClass('refused');
    const message = 'the key was revoked';
    await cloud.addFault({ operation: 'create', kind: 'error', code: 'Unauthenticated', message });
    const set = await createSet(scenario, 'refused', { replicas: 8, ...classOf(name) });
    await eventually('all machines were refused', async () => {
      const machines = await cluster.machines();
      const codes = machines.map(({ status }) => status?.lastOperation?.errorCode);
      expect(codes).toEqual(Array.from({ length: 8 }, () => 'Unauthenticated'));
    });
    await untilItSays(name, expect.stringMatching(/^credentials: Unauthenticated: .*revoked/));
    expect(await eventsOf(name, 'CredentialsRefused')).toHaveLength(1);
    const patches = await operatorRequests(namespace, {
      verb: 'patch',
      resource: 'machineclasses',
      start: name,
    });
    // Our finalizer, and the annotation.
    expect(patches.filter(({ code }) => code === 200)).toHaveLength(2);

    await cloud.clearFaults();
    await untilItSays(name, undefined);
    await untilRunning(scenario, set, 8);
    expect(await eventsOf(name, 'ClassValid')).toHaveLength(1);
    const machine = await createMachine(scenario, 'accepted', classOf(name));
    await untilPhase(scenario, machine, 'Running');
    await deleteMachine(scenario, machine);
    await deleteSet(scenario, set);
  });
});
