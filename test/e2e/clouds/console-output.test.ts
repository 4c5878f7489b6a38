/**
 * A machine whose VM boots and never becomes a Ready Node says what the VM printed last, without
 * secrets, and turns Failed however its console can be read.
 */
import { annotations } from '../../../workflows/api/constants.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import type { MachineResult } from '../../../workflows/machine/workflow.ts';
import type { CarriedMachine } from '../../../workflows/machine/carried.ts';
import { createClass, createSecret } from '../support/classes.ts';
import type { CloudFault } from '../support/virtual-cloud.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createMachine,
  deleteMachine,
  machinesOf,
  timeOutOnceBooted,
  untilBooted,
  untilGone,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';
import { createSet, deleteSet } from '../support/sets.ts';

const cause = 'kubelet[731]: x509: certificate signed by unknown authority';

describe('the console of a VM that never joined', () => {
  const scenario = useScenario('console');
  const { cluster, cloud, workflows, namespace } = scenario;

  /** Returns its name. */
  async function aFailedMachine(
    short: string,
    faults: CloudFault[],
    machineClass = 'small',
  ): Promise<string> {
    const { name } = scenario.named(short);
    for (const fault of faults) await cloud.addFault({ match: name, ...fault });
    await createMachine(scenario, short, { class: { kind: 'MachineClass', name: machineClass } });
    await timeOutOnceBooted(scenario, name);
    await untilPhase(scenario, name, 'Failed');
    return name;
  }

  const outputOf = async (name: string): Promise<string | undefined> =>
    (await cluster.machine(name)).metadata.annotations?.[annotations.consoleOutput];

  test('stands on the Machine, in an Event, in the state, and in the result when it is gone', async () => {
    const name = await aFailedMachine('mute', [{ kind: 'neverJoin', console: cause }]);
    const output = (await outputOf(name)) ?? '';
    expect(output).toMatch(/^\[ +0\.0{6}\] virtual cloud: machine i-/);
    expect(output).toContain(cause);
    expect((await cluster.machine(name)).status?.lastOperation?.description).toContain(
      'failed to join the cluster in 1s',
    );
    await untilEvent(
      scenario,
      { kind: 'Machine', name },
      { type: 'Warning', reason: 'NeverJoined', message: expect.stringContaining(cause) },
    );
    const state: CarriedMachine = await workflows.handleOf('machine', name).query('state');
    expect(state.consoleOutput).toMatchObject({ text: expect.stringContaining(cause) });
    expect((await workflows.pageOf('machine', name)).details).toContain(cause);
    await deleteMachine(scenario, name);
    await eventually('the result has it', async () => {
      const results = await workflows.resultsOf<MachineResult>('machine');
      expect(results.map(({ consoleOutput }) => consoleOutput)).toEqual([
        expect.stringContaining(cause),
      ]);
    });
  });

  test('of a Node that is never Ready it is read as well', async () => {
    const name = await aFailedMachine('sick', [{ kind: 'joinNotReady', console: cause }]);
    expect(await outputOf(name)).toContain(cause);
    await deleteMachine(scenario, name);
  });

  async function limitCreationTo(set: string, creationTimeout: string): Promise<void> {
    const spec = { template: { spec: { creationTimeout } } };
    await cluster.patch('machinesets', set, { spec });
  }

  test('outlives a Machine that its set replaces, as an Event', async () => {
    await cloud.addFault({ kind: 'neverJoin', times: 1, console: cause });
    const set = await createSet(scenario, 'late', { replicas: 1 });
    const failed = await eventually('the first machine is there', async () => {
      const [machine] = await machinesOf(scenario, set);
      expect(machine).toBeDefined();
      return machine?.metadata.name ?? '';
    });
    await untilBooted(scenario, failed);
    // The set takes a limit that stands on its Machine alone back.
    await limitCreationTo(set, '1s');
    await untilGone(scenario, cluster.pathOf('machines', failed));
    await limitCreationTo(set, '20m');
    await untilRunning(scenario, set, 1);
    const event = { reason: 'NeverJoined', message: expect.stringContaining(cause) };
    await untilEvent(scenario, { kind: 'Machine', name: failed }, event);
    await deleteSet(scenario, set);
  });

  test('has no value of the Secret, plain or in base64, wherever it stands', async () => {
    const password = 'pa55-of-the-account';
    const line = 'curl --cacert /ca https://join.example.com/9f8e7d6c';
    const userData = `#!/bin/sh\nset -x\n${line}\n`;
    const encoded = [password, userData].map((text) => Buffer.from(text).toString('base64'));
    await createSecret(scenario, 'chatty', { password, userData });
    await createClass(scenario, 'chatty', { provider: 'virtual', secret: 'chatty' });
    const token = 'abcdef.0123456789abcdef';
    const printed = [`+ ${line}`, `login ${password}`, ...encoded, `join ${token}`, cause];
    const fault = { kind: 'neverJoin', console: printed.join('\r\n') };
    const name = await aFailedMachine('chatty', [fault], 'chatty');
    expect(await outputOf(name)).toMatch(/\n\+ \[redacted\]\nlogin \[redacted\]\n/);
    const event = { reason: 'NeverJoined', message: expect.stringContaining(cause) };
    await untilEvent(scenario, { kind: 'Machine', name }, event);
    const places = [
      await workflows.allHistories(),
      JSON.stringify(await cluster.machine(name)),
      JSON.stringify(await cluster.events('Machine', name)),
    ];
    for (const text of places) {
      expect(text).toContain(cause);
      for (const secret of [password, line, token, ...encoded]) expect(text).not.toContain(secret);
    }
    await deleteMachine(scenario, name);
    await cluster.delete(cluster.pathOf('machineclasses', 'chatty'));
    await cluster.delete(namespaced('secrets', namespace, 'chatty'));
  });

  test('a right that is missing is named, and the machine turns Failed', async () => {
    const fault = { operation: 'console', kind: 'error', code: 'PermissionDenied' } as const;
    const name = await aFailedMachine('right', [
      { ...fault, message: 'no right' },
      { kind: 'neverJoin' },
    ]);
    expect(await outputOf(name)).toBeUndefined();
    const message = expect.stringMatching(/was not read: PermissionDenied: .*no right/);
    await untilEvent(scenario, { kind: 'Machine', name }, { reason: 'NeverJoined', message });
    await deleteMachine(scenario, name);
  });
});
