/**
 * Inside Gardener: the processes run as gardenlet and a provider extension start MCM's, with the
 * arguments, names, ports, probes and roles that those give, and with what deploy/gardener adds.
 */
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { disruptionPolicy, namespaced } from '../../../kube/client/paths.ts';
import { grantedOf, refusalsOf } from '../support/audit.ts';
import { eventually } from '../../support/eventually.ts';
import {
  accountsOf,
  addressOf,
  applyGardenlet,
  containersOf,
  grantStop,
  patchPod,
  podLaunch,
  removeFromShoot,
  type Pod,
} from '../support/gardener.ts';
import { build } from '../support/launches.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  untilGone,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { secretName } from '../support/manifests.ts';
import type { Role } from '../support/operator.ts';
import { useScenario, type Scenario } from '../support/scenario.ts';
import { userNameOf } from '../support/service-accounts.ts';
import { Workloads } from '../support/workloads.ts';

/** See test/workers/log/klog.test.ts. */
const parserOfGardener =
  /^(?<severity>\w)(?<time>\d{4} [^\s]*)\s+(?<pid>\d+)\s+(?<source>[^ \]]+)\] (?<log>.*)$/;
const roles: readonly Role[] = ['watcher', 'worker'];

describe('in the place of MCM inside Gardener', () => {
  let out: string;
  let pod: Pod;
  const started = new Map<Role, ChildProcess>();
  beforeAll(async () => void (out = await build('image')));
  const scenario: Scenario = useScenario('gardener', {
    isDoubled: false,
    grant: async (place) => {
      await applyGardenlet(place);
      const template = await patchPod(place);
      pod = { template, image: join(out, 'image'), place, cluster: await place.cluster.uid() };
    },
    launch: (process) => podLaunch(() => pod, started)(process),
  });
  afterAll(async () => {
    await removeFromShoot(scenario);
    await rm(out, { recursive: true });
  });
  const { cluster, cloud, operator, namespace } = scenario;
  const workloads = new Workloads(scenario);
  const { control, target } = accountsOf(scenario);
  const users = [userNameOf(control), userNameOf(target)];

  const textOf = (role: Role): Promise<string> =>
    readFile(join(operator.logs, `${role}.log`), 'utf8');
  const get = (role: Role, path: string): Promise<Response> =>
    fetch(
      `http://${addressOf(scenario)}:${containersOf(pod.template)[role].ports[0]?.containerPort}${path}`,
    );

  /** As kubelet does it: what has not ended in the pod's grace period is killed. */
  async function endAsKubelet(role: Role): Promise<ChildProcess> {
    const child = started.get(role);
    if (child === undefined) throw new Error(`no ${role} runs`);
    const { terminationGracePeriodSeconds } = pod.template.spec;
    const ended = once(child, 'exit');
    const kill = setTimeout(() => child.kill('SIGKILL'), terminationGracePeriodSeconds * 1_000);
    await operator.retire(role);
    await ended;
    clearTimeout(kill);
    return child;
  }

  test('makes, drains and deletes machines with the roles of gardenlet alone', async () => {
    // A token for each machine, in kube-system of the shoot.
    const secret = namespaced('secrets', namespace, secretName);
    const stringData = { userData: 'join <<BOOTSTRAP_TOKEN>>' };
    await cluster.kube.patch(secret, 'merge', { stringData });
    const pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    await untilRunning(scenario, pool, 2);
    const name = await createMachine(scenario, 'busy');
    await untilPhase(scenario, name, 'Running');
    await workloads.start({ app: 'web', nodeName: name, replicas: 2 });
    await workloads.guard('web', { app: 'web', minAvailable: 2 });
    await cluster.delete(cluster.pathOf('machines', name));
    await eventually('the budget holds up its drain', async () => {
      const { status } = await cluster.machine(name);
      expect(status?.lastOperation?.description).toContain('web');
    });
    const onBudget = `${userNameOf(target)} create /api/v1/namespaces/${namespace}/events`;
    await eventually('the Event about it on the budget is refused', async () => {
      expect(await refusalsOf(users)).toContainEqual(expect.stringContaining(onBudget));
    });
    await cluster.delete(workloads.budgets('web'));
    await untilGone(scenario, cluster.pathOf('machines', name));
    expect(await workloads.podsOn(name)).toEqual([]);
    await workloads.end('web');
    await deleteDeployment(scenario, pool);
    expect(await cloud.instances()).toEqual([]);
    // What they can do without: Events on budgets of the shoot, a stop, and rollouts, which hold.
    const refused = (await refusalsOf(users)).map((line) => line.replace(/\?.*/, ''));
    expect([...new Set(refused)].toSorted()).toEqual(
      [
        onBudget,
        `${userNameOf(control)} list /api/v1/namespaces/${namespace}/configmaps`,
        `${userNameOf(control)} list ${disruptionPolicy(namespace)}`,
      ].toSorted(),
    );
  });

  test('answers the probes and serves the metrics that Gardener asks for', async () => {
    for (const role of roles) {
      const { livenessProbe, ports } = containersOf(pod.template)[role];
      expect(ports).toMatchObject([{ containerPort: livenessProbe.httpGet.port }]);
      const health = await get(role, livenessProbe.httpGet.path);
      expect([health.status, await health.text()]).toEqual([200, 'OK']);
      expect(await (await get(role, '/metrics')).text()).toContain('millwright_');
      expect((await get(role, '/readyz')).status).toBe(200);
    }
  });

  test('writes only lines that its log parser takes apart, and says once that there is no stop', async () => {
    for (const role of roles) {
      const text = await textOf(role);
      const lines = text.trimEnd().split('\n');
      expect(lines.filter((line) => !parserOfGardener.test(line))).toEqual([]);
      expect(lines.filter((line) => line.includes('millwright-stop may not be read'))).toHaveLength(
        1,
      );
    }
  });

  test('ends within the 5 s of its pod while a create hangs, and goes on with it afterwards', async () => {
    await cloud.addFault({ operation: 'create', kind: 'hang', times: 1 });
    const name = await createMachine(scenario, 'hung');
    await eventually('the create hangs', async () =>
      expect(await cloud.count('create', 'hang')).toBeGreaterThan(0),
    );
    const ends: unknown[] = [];
    for (const role of roles) {
      const { exitCode, signalCode } = await endAsKubelet(role);
      ends.push({ role, exitCode, signalCode });
    }
    for (const role of roles) operator.startAgain(role);
    expect(ends).toEqual(roles.map((role) => ({ role, exitCode: 0, signalCode: null })));
    await untilPhase(scenario, name, 'Running');
    await cluster.delete(cluster.pathOf('machines', name));
    await untilGone(scenario, cluster.pathOf('machines', name));
  });

  test('sees a stop with the Role for it, each verb of which is asked for', async () => {
    await grantStop(scenario);
    const stop = namespaced('configmaps', namespace);
    await cluster.kube.create(stop, {
      metadata: { name: 'millwright-stop' },
      data: { reason: 'x' },
    });
    await eventually('each of its verbs is asked for, and granted', async () => {
      const user = userNameOf(control);
      const granted = await grantedOf([user]);
      const verbs = [...granted].filter((line) => line.endsWith(' configmaps'));
      expect(verbs.toSorted()).toEqual([`${user} list configmaps`, `${user} watch configmaps`]);
    });
    await eventually('the worker is stopped', async () =>
      expect(await (await get('worker', '/metrics')).text()).toContain(
        `millwright_stopped{kube_namespace="${namespace}"} 1`,
      ),
    );
    await cluster.delete(`${stop}/millwright-stop`);
    await eventually('it goes on', async () =>
      expect(await (await get('worker', '/metrics')).text()).toContain(
        `millwright_stopped{kube_namespace="${namespace}"} 0`,
      ),
    );
  });
});
