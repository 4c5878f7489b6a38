/** The commands that look: what they say of real trouble, with few rights, and without Temporal. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { namespaced } from '../../../kube/client/paths.ts';
import { repository } from '../../../deploy/local/layout.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  deleteMachine,
  untilGone,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { classManifest } from '../support/manifests.ts';
import { setReady } from '../support/node-health.ts';
import { useScenario } from '../support/scenario.ts';
import { writeAccountKubeconfig } from '../support/service-accounts.ts';
import { testStack } from '../support/test-stack.ts';
import { Workloads } from '../support/workloads.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces';

const asked = () => `--temporal-address=${testStack().temporalAddress}`;

describe('the commands that look', () => {
  const scenario = useScenario('look', { isDoubled: false });
  const { cluster, namespace } = scenario;
  const workloads = new Workloads(scenario);
  let reader: string;
  let pool: string;
  let blocked: string;
  let bad: string;

  const argvOf = (words: readonly string[]): string[] => {
    const place = ['-n', namespace, `--kubeconfig=${reader}`];
    return [join(repository, 'cli/millwright.ts'), ...words, ...place];
  };
  const env = withoutTemporal({
    ...process.env,
    NODE_OPTIONS: '',
    LANG: 'C.UTF-8',
    LC_ALL: '',
  });

  /** As a person runs it who may only read machines, in a terminal without colours. */
  async function said(...words: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, argvOf(words), { env });
    return stdout;
  }

  async function data(...words: string[]): Promise<unknown> {
    return JSON.parse(await said(...words, '-o', 'json'));
  }

  async function mayRead(name: string): Promise<void> {
    const { kube } = cluster;
    await kube.create(namespaced('serviceaccounts', namespace), { metadata: { name } });
    await kube.create(`${rbac}/${namespace}/roles`, {
      metadata: { name },
      rules: [
        { apiGroups: ['machine.sapcloud.io'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['list'] },
      ],
    });
    await kube.create(`${rbac}/${namespace}/rolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    });
    reader = await writeAccountKubeconfig(kube, { namespace, name });
  }

  beforeAll(async () => {
    await mayRead('reader');
    pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    const machines = await untilRunning(scenario, pool, 2);
    blocked = machines[0]?.metadata.name ?? '';
    await workloads.start({ app: 'shop', nodeName: blocked, tolerates: 'dedicated' });
    await workloads.guard('shop', { app: 'shop', maxUnavailable: 0 });
    const spec = { namespace, name: 'bad' };
    await cluster.create('machineclasses', classManifest(spec, { providerSpec: { size: 7 } }));
    bad = await createMachine(scenario, 'bad', { class: { kind: 'MachineClass', name: 'bad' } });
    await cluster.delete(cluster.pathOf('machines', blocked));
    await untilPhase(scenario, bad, 'CrashLoopBackOff');
    await eventually('the drain is blocked', async () => {
      const { status } = await cluster.machine(blocked);
      expect(status?.lastOperation?.description).toMatch(/^Drain failed due to - 1 pod left/);
    });
  });

  test('stuck names both troubles, and says what it may not read', async () => {
    expect(await data('stuck')).toMatchObject({
      findings: [
        { trouble: 'bad-spec', object: { kind: 'machine', name: bad, namespace } },
        { trouble: 'bad-spec', object: { kind: 'machineclass', name: 'bad' } },
        {
          trouble: 'drain-budget',
          runbook: 'docs/runbooks/drain-budget.md',
          object: { kind: 'machine', name: blocked },
          cause: expect.stringContaining(`PodDisruptionBudget ${namespace}/shop`),
          since: expect.stringMatching(/Z$/),
          until: expect.stringMatching(/Z$/),
        },
      ],
      unread: expect.arrayContaining(['Events', 'the Deployments of watcher and worker']),
    });
    const text = await said('stuck');
    expect(text).toMatch(/^TROUBLE +OBJECT +SINCE +WHY$/m);
    expect(text).toMatch(
      new RegExp(`^drain-budget +machine/${blocked} +\\d+[\\dms]+ +its drain is`, 'm'),
    );
    expect(text).toContain('Not readable with your rights: ');
    // The Lease of the watcher says where it is.
    expect(text).not.toContain('Temporal was not asked');
  });

  test('explain has the attempts and the page of the workflow, and finds Temporal by itself', async () => {
    const without = await said('explain', `machine/${blocked}`);
    expect(without).toContain(`machine/${blocked} is Terminating`);
    expect(without).toContain('Runbook: millwright runbook drain-budget');
    expect(without).toContain(`millwright retry machine/${blocked} -n ${namespace}`);
    expect(without).toContain(`Workflow machine/${namespace}/${blocked} (running)`);
    expect(await data('explain', `mc/${blocked}`, asked())).toMatchObject({
      state: 'Terminating',
      awaits: { what: 'its pods, which have to leave its Node' },
      workflow: {
        workflowId: `machine/${namespace}/${blocked}`,
        status: 'RUNNING',
        page: expect.arrayContaining([expect.stringMatching(/^Drain is blocked: 1 pod left/)]),
        attempts: [{ step: 'drainNode', lastError: expect.stringContaining('1 pod left') }],
      },
    });
    const node = await said('explain', 'node', blocked);
    expect(node).toContain(`Machine:     ${blocked}, which is Terminating`);
    expect(node).toContain(`Nothing is known of Node ${blocked}: it may not be read`);
  });

  test('tree and status show the same findings', async () => {
    expect(await data('tree', `mcd/${pool}`)).toMatchObject({
      kind: 'machinedeployment',
      contains: [
        {
          kind: 'machineset',
          contains: expect.arrayContaining([
            expect.objectContaining({
              name: blocked,
              state: 'Terminating',
              findings: [expect.objectContaining({ trouble: 'drain-budget' })],
            }),
          ]),
        },
      ],
    });
    expect(await data('status', asked())).toMatchObject({
      deployments: [{ name: pool, wanted: 2 }],
      findings: [{ trouble: 'bad-spec' }, { trouble: 'bad-spec' }, { trouble: 'drain-budget' }],
      leaders: [{ namespace, holder: expect.any(String) }],
      temporal: { address: testStack().temporalAddress },
    });
    expect(await said('status')).toMatch(/^Watcher: .+ leads/m);
    expect(await said('tree', `mcd/${pool}`, '-o', 'name')).toContain(`machine/${blocked}\n`);
  });

  test('timeline shows a machine that is gone, as Temporal has kept it', async () => {
    // Without this its Node may be as fast as the answer to its create, and nothing waits.
    await scenario.cloud.addFault({ kind: 'joinNotReady' });
    const gone = await createMachine(scenario, 'gone');
    const waits = expect.objectContaining({
      kind: 'wait',
      name: expect.stringContaining('not joined yet'),
    });
    await eventually('it waits for its Node, which is there', async () => {
      expect((await cluster.nodes()).map(({ metadata }) => metadata.name)).toContain(gone);
      expect(await data('timeline', `machine/${gone}`, asked())).toMatchObject({
        steps: expect.arrayContaining([waits]),
      });
    });
    await scenario.cloud.clearFaults();
    await setReady(scenario, gone, true);
    await untilPhase(scenario, gone, 'Running');
    await deleteMachine(scenario, gone);
    await eventually('its workflow has ended', async () => {
      const { status } = await scenario.workflows.handleOf('machine', gone).describe();
      expect(status.name).toBe('COMPLETED');
    });
    expect(await data('timeline', `machine/${gone}`, asked())).toMatchObject({
      source: 'Temporal',
      state: 'completed',
      steps: expect.arrayContaining([
        expect.objectContaining({ kind: 'activity', name: 'createInstance', attempts: 1 }),
        waits,
        expect.objectContaining({ kind: 'activity', name: 'drainNode' }),
      ]),
    });
    await expect(said('timeline', `machine/${gone}`)).rejects.toThrow(
      /Nothing is known of machine/,
    );
    await expect(said('explain', `machine/${gone}`)).rejects.toThrow(/millwright timeline machine/);
  });

  test('watch prints a line for each change, until Ctrl-C ends it with 0', async () => {
    const command = spawn(process.execPath, argvOf(['watch']), { env });
    const exited = once(command, 'exit');
    let printed = '';
    for (const stream of [command.stdout, command.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    }
    const untilPrinted = async (line: RegExp): Promise<void> => {
      await eventually(`watch prints ${line}`, () => expect(printed).toMatch(line));
    };
    try {
      await untilPrinted(/^Watching \d+ machines\.$/m);
      const name = await createMachine(scenario, 'watched');
      const begin = `^\\d\\d:\\d\\d:\\d\\d ${namespace} machine/${name}`;
      await untilPrinted(new RegExp(`${begin} is there: `, 'm'));
      await untilPrinted(new RegExp(`${begin} Pending -> Running: .*joined the cluster`, 'm'));
      await deleteMachine(scenario, name);
      await untilPrinted(new RegExp(`${begin} is gone$`, 'm'));
    } finally {
      command.kill('SIGINT');
    }
    expect(await exited).toEqual([0, null]);
  });

  test('nothing is stuck when it is repaired', async () => {
    await cluster.delete(workloads.budgets('shop'));
    await untilGone(scenario, cluster.pathOf('machines', blocked));
    await workloads.end('shop');
    await deleteMachine(scenario, bad);
    await cluster.delete(cluster.pathOf('machineclasses', 'bad'));
    await untilGone(scenario, cluster.pathOf('machineclasses', 'bad'));
    await eventually('no object speaks of a trouble any more', async () => {
      expect(await said('stuck')).toContain('Nothing is stuck.');
    });
    await deleteDeployment(scenario, pool);
  });
});

/** What the stack of the tests sets. */
function withoutTemporal(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('TEMPORAL_')));
}
