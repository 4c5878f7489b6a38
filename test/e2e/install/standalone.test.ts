/** Machines that nobody owns, and what a machine leaves behind or must not. */
import type { KubeObject } from '../../../kube/client/client.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import { tokenIdOf } from '../../../activities/machine/bootstrap-token.ts';
import { finalizers } from '../../../workflows/api/constants.ts';
import type { SecretObject } from '../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { untilEvent } from '../support/events.ts';
import { createMachine, deleteMachine, untilGone, untilPhase } from '../support/machines.ts';
import { classManifest, machineManifest, secretManifest } from '../support/manifests.ts';
import { useScenario } from '../support/scenario.ts';

const secretPathOf = (id: string): string =>
  namespaced('secrets', 'kube-system', `bootstrap-token-${id}`);

const scenario = useScenario('standalone');
const { cluster, cloud, workflows } = scenario;

async function findToken(uid: string): Promise<SecretObject | undefined> {
  return await cluster.find<SecretObject>(secretPathOf(tokenIdOf(uid, 0)));
}

describe('a Machine without an owner', () => {
  test('becomes Running, gets our finalizer, and goes when it is deleted', async () => {
    const name = await createMachine(scenario, 'alone');
    const machine = await untilPhase(scenario, name, 'Running');
    expect(machine.metadata.finalizers).toEqual([finalizers.machine]);
    expect(machine.metadata.labels?.['node']).toBe(name);
    await deleteMachine(scenario, name);
    await eventually('its VM is gone', async () => expect(await cloud.instances()).toEqual([]));
    const subject = { kind: 'Machine', name };
    await untilEvent(scenario, subject, { reason: 'InstanceCreated' });
    await untilEvent(scenario, subject, { reason: 'Joined' });
    await untilEvent(scenario, subject, { reason: 'Terminating' });
  });

  test('can be deleted right after it was created', async () => {
    const name = await createMachine(scenario, 'short-lived');
    await deleteMachine(scenario, name);
    expect(await cloud.instances()).toEqual([]);
  });

  test('says in Temporal what it waits for while its Node has not joined', async () => {
    await cloud.addFault({ kind: 'neverJoin' });
    const name = await createMachine(scenario, 'waiting');
    const machine = await untilPhase(scenario, name, 'Pending');
    expect(machine.status?.lastOperation).toMatchObject({
      description: expect.stringMatching(
        /^Instance \S+ was created: waiting for Node \S+ to join$/,
      ),
      state: 'Processing',
      type: 'Create',
    });
    await eventually('its page says it', async () => {
      const { details } = await workflows.pageOf('machine', name);
      expect(details).toContain(`Node ${name} has not joined yet`);
      expect(details).toMatch(/, until \d{4}-/);
    });
    await eventually('a search by phase finds it', async () => {
      const found = await workflows.running('State="Pending" and Deadline IS NOT NULL');
      expect(found).toEqual([`machine/${scenario.namespace}/${name}`]);
    });
    await deleteMachine(scenario, name);
    await cloud.clearFaults();
  });

  test('a Machine without an owner that ran out of time runs all the same once its class is there', async () => {
    const missing = 'comes-later';
    const name = await createMachine(scenario, 'patient', {
      class: { kind: 'MachineClass', name: missing },
      creationTimeout: '2s',
    });
    await untilPhase(scenario, name, 'Failed');
    const { namespace } = scenario;
    await cluster.create('machineclasses', classManifest({ namespace, name: missing }));
    expect(await untilPhase(scenario, name, 'Running')).toBeDefined();
    await deleteMachine(scenario, name);
  });

  test('can be deleted and created again under the same name at once', async () => {
    const name = await createMachine(scenario, 'again');
    const first = await untilPhase(scenario, name, 'Running');
    await deleteMachine(scenario, name);
    await createMachine(scenario, 'again');
    const second = await untilPhase(scenario, name, 'Running');
    expect(second.spec.providerID).not.toBe(first.spec.providerID);
    await deleteMachine(scenario, name);
  });
});

describe('a Machine whose finalizer was stripped', () => {
  test('leaves its VM alone, and its successor of the same name and providerID adopts it', async () => {
    const name = await createMachine(scenario, 'moved');
    const before = await untilPhase(scenario, name, 'Running');
    const path = cluster.pathOf('machines', name);
    await cluster.patch('machines', name, { metadata: { finalizers: null } });
    await cluster.delete(path);
    await untilGone(scenario, path);
    const { providerID = '' } = before.spec;
    const manifest = machineManifest(scenario.named('moved'), { providerID });
    await cluster.create('machines', manifest);
    const after = await untilPhase(scenario, name, 'Running');
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.spec.providerID).toBe(providerID);
    expect(after.metadata.finalizers).toEqual([finalizers.machine]);
    const instances = await cloud.instances();
    expect(instances.map((instance) => instance.providerID)).toEqual([providerID]);
    expect((await cloud.calls()).createsPerName[name]).toBe(1);
    await deleteMachine(scenario, name);
    await eventually('the VM goes with its second Machine', async () => {
      expect(await cloud.instances()).toEqual([]);
    });
  });
});

describe('a Machine whose user data asks for a bootstrap token', () => {
  const canary = 'canary-in-the-user-data';

  async function useTokenClass(): Promise<string> {
    const named = scenario.named('token-class');
    const path = cluster.pathOf('machineclasses', named.name);
    if (await cluster.find<KubeObject>(path)) return named.name;
    const userData = `join <<BOOTSTRAP_TOKEN>> as <<MACHINE_NAME>> ${canary}`;
    const secret = secretManifest(named, { userData });
    await cluster.kube.create(namespaced('secrets', scenario.namespace), secret);
    await cluster.create('machineclasses', classManifest(named, { secret: named.name }));
    return named.name;
  }

  async function createWithToken(
    name: string,
  ): Promise<{ name: string; uid: string; token: string }> {
    const className = await useTokenClass();
    const machine = await createMachine(scenario, name, {
      class: { kind: 'MachineClass', name: className },
    });
    const { uid } = (await cluster.machine(machine)).metadata;
    const token = await eventually('its token Secret is there', async () => {
      const secret = await findToken(uid);
      expect(secret?.metadata.name).toBe(`bootstrap-token-${tokenIdOf(uid, 0)}`);
      return Buffer.from(secret?.data?.['token-secret'] ?? '', 'base64').toString('utf8');
    });
    return { name: machine, uid, token };
  }

  test('has a token until it runs, and neither token nor user data is in a history', async () => {
    // Without this its Node might join before anybody looked.
    await cloud.addFault({ kind: 'joinNotReady' });
    const { name, uid, token } = await createWithToken('joins');
    expect(token).toMatch(/^[0-9a-z]{16}$/);
    await untilPhase(scenario, name, 'Pending');
    expect(await findToken(uid)).toBeDefined();
    const [instance] = await cloud.instances();
    expect(instance?.userDataDigest).not.toBe('');
    await eventually('its Node is there', async () => {
      expect(await cluster.nodes()).toHaveLength(1);
    });
    const ready = { metadata: { annotations: { 'virtual-cloud.millwright.dev/not-ready': null } } };
    await cluster.kube.patch(`/api/v1/nodes/${name}`, 'merge', ready);
    await untilPhase(scenario, name, 'Running');
    await untilGone(scenario, secretPathOf(tokenIdOf(uid, 0)));
    const histories = await workflows.allHistories();
    expect(histories).toContain(tokenIdOf(uid, 0));
    expect(histories).not.toContain(token);
    expect(histories).not.toContain(canary);
    await cloud.clearFaults();
    await deleteMachine(scenario, name);
  });

  test('keeps its token when it is created anew after a failure', async () => {
    const { name: own } = scenario.named('anew');
    const failure = { operation: 'create', kind: 'error', code: 'Internal', times: 1, match: own };
    await cloud.addFault(failure);
    // The token goes when the Node has joined.
    await cloud.addFault({ operation: 'create', kind: 'neverJoin' });
    const { name, uid, token } = await createWithToken('anew');
    await untilPhase(scenario, name, 'Pending');
    const kept = await findToken(uid);
    const secret = Buffer.from(kept?.data?.['token-secret'] ?? '', 'base64').toString('utf8');
    expect(secret).toBe(token);
    await cloud.clearFaults();
    await deleteMachine(scenario, name);
  });

  test('loses the token when it is deleted before it ran', async () => {
    await cloud.addFault({ kind: 'neverJoin' });
    const { name, uid } = await createWithToken('never-joins');
    await untilPhase(scenario, name, 'Pending');
    await deleteMachine(scenario, name);
    expect(await findToken(uid)).toBeUndefined();
  });
});
