/**
 * What docs/clouds/aws-from-nothing.md says, where neither AWS nor a cluster is needed: its policy
 * and its installs. `test/e2e/clouds/aws-from-nothing.test.ts` has the rest.
 */
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { createAwsDriver } from '../../activities/drivers/aws/driver.ts';
import { preparedBinary } from '../../deploy/local/binaries/acquire.ts';
import { runProgram } from '../../deploy/local/binaries/program.ts';
import { repository } from '../../deploy/local/layout.ts';
import { aSpec } from '../activities/drivers/aws/a-class.ts';
import { aSharedEc2, ec2Request } from '../activities/drivers/aws/ec2-world.ts';
import { instantTiming } from '../activities/drivers/aws/instant-timing.ts';
import { createdBy, deletedBy } from '../activities/drivers/following.ts';
import { RunbookPage } from '../e2e/support/runbook-page.ts';
import { textOf } from './pages.ts';

interface Statement {
  Action: string | string[];
  Resource: string;
  Condition?: object;
}

interface Rendered {
  kind: string;
  metadata: { name: string; namespace?: string; annotations?: Record<string, string> };
  spec?: { template?: { spec: { containers: [{ image: string; args: string[] }] } } };
}

const name = 'docs/clouds/aws-from-nothing.md';
const page = new RunbookPage('../clouds/aws-from-nothing.md');
/** Sets the variables of the page. */
const [variables = ''] = page.commands;
const { double, settings } = await aSharedEc2();
const folder = mkdtempSync(join(tmpdir(), 'millwright-aws-'));
for (const part of ['docs', 'deploy']) symlinkSync(join(repository, part), join(folder, part));
afterAll(() => rmSync(folder, { recursive: true }));

async function type(commands: string): Promise<string> {
  return await runProgram('bash', ['-c', `set -euo pipefail\n${variables}${commands}`], {
    cwd: folder,
    errorsApart: true,
  });
}

async function policy(): Promise<Statement[]> {
  await type(page.commandsBelow('The policy of Millwright').join('\n'));
  return JSON.parse(readFileSync(join(folder, 'policy.json'), 'utf8')).Statement;
}

describe('the policy', () => {
  test('is that of aws.md, with the names of the page', async () => {
    const statements = await policy();
    expect(statements.at(-1)?.Resource).toBe('arn:aws:iam::123456789012:role/nodes');
    expect(JSON.stringify(statements)).toContain('kubernetes.io/cluster/my-cluster');
    expect(JSON.stringify(statements)).not.toMatch(/\b(?:MY-CLUSTER|ACCOUNT|NODE-ROLE)\b/);
  });

  test('allows what the driver calls, and what EC2 asks for with a launch, and no more', async () => {
    const driver = createAwsDriver(settings, { timing: instantTiming(), callTimeoutSeconds: 600 });
    const networkInterfaces = [{ subnetID: 's', securityGroupIDs: ['g'], ipv6PrefixCount: 1 }];
    const providerSpec = aSpec({ srcAndDstChecksEnabled: false, networkInterfaces });
    const request = ec2Request('m-1', { providerSpec });
    const { providerID } = await createdBy(driver, request);
    await driver.initializeInstance({ ...request, providerID });
    await driver.listInstances({ ...request, namespace: 'shoot' });
    await deletedBy(driver, { ...request, providerID });
    const called = double.requests.map((form) => `ec2:${form.get('Action')}`);
    const withLaunch = ['ec2:CreateTags', 'iam:PassRole'];
    const allowed = (await policy()).flatMap(({ Action }) => Action);
    expect(allowed.toSorted()).toEqual([...new Set([...called, ...withLaunch])].toSorted());
  });
});

function flagsOf(objects: readonly Rendered[], ending: string): string[] {
  const found = objects.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith(ending),
  );
  return found?.spec?.template?.spec.containers[0].args ?? [];
}

describe('an install', () => {
  let helm: string;
  beforeAll(async () => void (helm = await preparedBinary('helm')));
  const installs = page.commandsBelow('5. Millwright').filter((text) => text.startsWith('helm'));

  /** `helm install` as it stands there, but for what is rendered in the place of being sent. */
  async function rendered(install: string): Promise<Rendered[]> {
    const text = await type(`helm() { shift; '${helm}' template "$@"; }\n${install}`);
    return parseAllDocuments(text).map((one): Rendered => one.toJS());
  }

  const group =
    '--bootstrap-token-auth-extra-groups=system:bootstrappers:kubeadm:default-node-token';
  const ofPodIdentity = { ambient: true, annotations: undefined };
  const role = 'arn:aws:iam::123456789012:role/millwright';
  const ofIrsa = { ambient: true, annotations: { 'eks.amazonaws.com/role-arn': role } };
  const ofKubeadm = { ambient: false, annotations: undefined };

  test.each([
    { by: 'Pod Identity', at: 0, wanted: ofPodIdentity },
    { by: 'IRSA', at: 1, wanted: ofIrsa },
    { by: 'keys of the class', at: 2, wanted: ofKubeadm },
  ])('gives the worker its credentials: $by', async ({ at, wanted }) => {
    expect(installs).toHaveLength(3);
    const objects = await rendered(installs[at] ?? '');
    const flags = flagsOf(objects, '-worker');
    expect(flags).toContain(`--ambient-credentials=${wanted.ambient}`);
    expect(flags).toContain(group);
    expect(flags).toContain('--providers=AWS');
    const account = objects.find(
      ({ kind, metadata }) => kind === 'ServiceAccount' && metadata.name === 'millwright-worker',
    );
    expect(account?.metadata).toMatchObject({ namespace: 'machines' });
    expect(account?.metadata.annotations).toEqual(wanted.annotations);
    const toMetadata = objects.filter(({ metadata }) => metadata.name.endsWith('-metadata'));
    expect(toMetadata).toHaveLength(wanted.ambient ? 1 : 0);
  });

  test('lets the binding of the page reach the account that the worker has', () => {
    const [binding = ''] = page.commandsBelow('EKS: a role for the worker');
    expect(binding).toContain('--service-account millwright-worker');
  });

  test('has the processes that step 5 waits for', async () => {
    const names = (await rendered(installs[0] ?? ''))
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ metadata }) => `deployment/${metadata.name}`);
    const waits = page
      .commandsBelow('5. Millwright')
      .join('\n')
      .match(/deployment\/\S+/g);
    expect(waits?.toSorted()).toEqual(names.toSorted());
  });

  test('finds Temporal where the page has it, with a namespace that setup makes', async () => {
    const flags = flagsOf(await rendered(installs[0] ?? ''), '-worker');
    expect(flags).toContain('--temporal-address=temporal-frontend.temporal.svc:7233');
    const [, made] = /TEMPORAL_NAMESPACE=(\S+)/.exec(variables) ?? [];
    expect(flags).toContain(`--temporal-namespace=${made}`);
    expect(textOf(name)).toContain('port-forward service/temporal-frontend 7233:7233');
  });
});
