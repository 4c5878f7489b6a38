/** A person stops everything, and lets it go on. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../../../deploy/local/layout.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  machinesOf,
  untilGone,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { untilStopIsKnown } from '../support/probes.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';
import { Workloads } from '../support/workloads.ts';

const run = promisify(execFile);

describe('a stop of everything', () => {
  const scenario = useScenario('stop', { isDoubled: false });
  const { cluster, cloud, workflows, operator, namespace } = scenario;
  const saysWhy = expect.stringContaining(
    `stopped by ConfigMap ${namespace}/millwright-stop: wrong disks (alice)`,
  );

  /** The command, as a person runs it. */
  async function millwright(...words: string[]): Promise<string> {
    const { layout } = testStack();
    const entrance = join(repository, 'cli/millwright.ts');
    const where = ['-n', namespace, `--kubeconfig=${layout.kubeconfig}`];
    const { stdout } = await run(process.execPath, [entrance, ...words, ...where], {
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    return stdout;
  }

  async function stopAll(): Promise<string> {
    const said = await millwright('stop', '--reason', 'wrong disks', '--by', 'alice');
    await untilStopIsKnown(scenario);
    return said;
  }

  /** The next attempts of what waits are refused too. */
  async function untilRefused(kind: 'machine' | 'machineSet', name: string, step: string) {
    await eventually(`${step} of ${name} is refused`, async () => {
      const failures = await workflows.pendingFailures(kind, name);
      expect(failures).toMatchObject({ [step]: saysWhy });
    });
  }

  test('holds up creations, through restarts, and makes nobody Failed', async () => {
    expect(await stopAll()).toContain(`${namespace} is stopped since`);
    const single = await createMachine(scenario, 'single', { creationTimeout: '20s' });
    const pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    const begunAt = Date.now();
    await untilRefused('machine', single, 'createInstance');
    await untilEvent(scenario, { kind: 'Machine', name: single }, { reason: 'Stopped' });
    const set = await eventually('the set of the pool is there', async () => {
      const [found] = await cluster.sets();
      expect(found).toBeDefined();
      return found?.metadata.name ?? '';
    });
    await untilRefused('machineSet', set, 'waitForResume');
    await untilEvent(scenario, { kind: 'MachineSet', name: set }, { message: saysWhy });
    await Promise.all([operator.kill9('worker'), operator.kill9('watcher')]);
    await eventually('the creation timeout is over', () => {
      expect(Date.now() - begunAt).toBeGreaterThan(22_000);
    });
    await untilRefused('machine', single, 'createInstance');
    expect(await cloud.instances()).toEqual([]);
    expect(await machinesOf(scenario, pool)).toEqual([]);
    expect(await cluster.phases()).toEqual({ [single]: '' });

    const status: unknown = JSON.parse(await millwright('stop', '--status', '-o', 'json'));
    expect(status).toMatchObject({ namespace, isStopped: true, reason: 'wrong disks' });
    expect(await millwright('start')).toBe(`${namespace} goes on.\n`);
    await untilPhase(scenario, single, 'Running');
    await untilRunning(scenario, pool, 2);
    expect(await cluster.events('Machine', single)).not.toContainEqual(
      expect.objectContaining({ reason: 'CreationTimeout' }),
    );
    await deleteDeployment(scenario, pool);
  });

  test('holds up deletions and drains', async () => {
    const machines = [await createMachine(scenario, 'busy'), await createMachine(scenario, 'idle')];
    const [busy = '', idle = ''] = machines;
    for (const name of machines) await untilPhase(scenario, name, 'Running');
    const workloads = new Workloads(scenario);
    await workloads.start({ app: 'web', nodeName: busy });
    await workloads.guard('web', { app: 'web', minAvailable: 1 });
    await cluster.delete(cluster.pathOf('machines', busy));
    await eventually('the drain is blocked', async () => {
      const failures = await workflows.pendingFailures('machine', busy);
      expect(failures['drainNode']).toContain('web');
    });
    await stopAll();
    await cluster.delete(cluster.pathOf('machines', idle));
    await cluster.delete(workloads.budgets('web'));
    await untilRefused('machine', busy, 'drainNode');
    await untilRefused('machine', idle, 'drainNode');
    await untilEvent(scenario, { kind: 'Machine', name: idle }, { message: saysWhy });
    expect(await workloads.podsOn(busy, 'web')).toHaveLength(1);
    expect(await cloud.instances()).toHaveLength(3);
    // A person without our command.
    await cluster.delete(`/api/v1/namespaces/${namespace}/configmaps/millwright-stop`);
    for (const name of machines) await untilGone(scenario, cluster.pathOf('machines', name));
    await workloads.end('web');
  });
});
