/**
 * Many machines at a cloud that takes long: no failure, no wrong diagnosis, and creates are not
 * held up by deletes.
 */
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { KubeObject } from '../../../kube/client/client.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import { createClass } from './classes.ts';
import { eventually } from '../../support/eventually.ts';
import { createDeployment, createMachine, machinesOf, untilGone, untilPhase } from './machines.ts';
import { useScenario } from './scenario.ts';
import type { SlowCloud, SlowDriver } from './slow-driver.ts';
import { slowProvider, startSlowDriver } from './slow-driver.ts';

interface EventObject extends KubeObject {
  type?: string;
  reason?: string;
  message?: string;
}

export interface SlowCloudCase extends SlowCloud {
  machines: number;
}

/** Fifty at a time, the clouds of some hundreds take longer than a wait has. */
const patient = { timeoutSeconds: 1_800 };

Runtime.install({ logger: new DefaultLogger('ERROR') });

export function describeSlowCloud(cases: readonly SlowCloudCase[]): void {
  describe.each(cases)(
    'a driver that answers in the manner "$manner" for a cloud that takes $seconds s',
    (given) => {
      const { machines: replicas, manner } = given;
      // Without Nodes: a machine is Available with its instance.
      const scenario = useScenario(`slow-${manner}`, { target: 'none', isDoubled: false });
      const { cluster, namespace } = scenario;
      let driver: SlowDriver;

      beforeAll(async () => {
        driver = await startSlowDriver(scenario, given);
        await createClass(scenario, 'slow', { provider: slowProvider });
      });
      afterAll(() => driver.stop());

      test(`makes ${replicas} machines and deletes them without a failure`, async () => {
        const spec = { class: { kind: 'MachineClass', name: 'slow' } };
        const metadata = { labels: { name: scenario.named('pool').name } };
        const template = { metadata, spec };
        const pool = await createDeployment(scenario, 'pool', { replicas, template });
        const allAreAvailable = async (): Promise<void> => {
          const machines = await machinesOf(scenario, pool);
          const phases = machines.map(({ status }) => status?.currentStatus?.phase);
          expect(phases).toEqual(Array.from({ length: replicas }, () => 'Available'));
        };
        await eventually(`${replicas} machines are Available`, allAreAvailable, patient);
        await cluster.delete(cluster.pathOf('machinedeployments', pool));
        await eventually('the first deletion is under way', async () => {
          const machines = await machinesOf(scenario, pool);
          const words = machines.map(({ status }) => status?.lastOperation?.description ?? '');
          const isUnderWay = manner === 'pending' ? /instance is shutting-down since / : /./;
          expect(words).toContainEqual(expect.stringMatching(isUnderWay));
          expect(machines.every(({ metadata: { deletionTimestamp } }) => deletionTimestamp)).toBe(
            true,
          );
        });
        const late = await createMachine(scenario, 'late', spec);
        await untilPhase(scenario, late, 'Available');
        // Blocking deletes wait for slots of their own, and take longer than one create.
        const deletedMax = manner === 'blocking' ? replicas - 1 : replicas;
        expect(driver.deleted.length).toBeLessThanOrEqual(deletedMax);
        const none = async (): Promise<void> =>
          expect(await machinesOf(scenario, pool)).toEqual([]);
        await eventually('all of them are gone', none, patient);
        await cluster.delete(cluster.pathOf('machines', late));
        await untilGone(scenario, cluster.pathOf('machines', late));

        const created = driver.created.filter((name) => name.startsWith(`${pool}-`));
        expect(created).toHaveLength(replicas);
        expect(driver.deleted.toSorted()).toEqual([...driver.created].toSorted());
        const events = await cluster.list<EventObject>(namespaced('events', namespace));
        const warnings = events.filter(({ type }) => type === 'Warning');
        expect(warnings.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([]);
      });
    },
  );
}
