/**
 * The steps of docs/clouds/aws-from-nothing.md that need a cluster, as they stand there: the local
 * stack, the real driver with its SDK, and moto for EC2.
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { chart } from '../../../deploy/helm/render.ts';
import { repository } from '../../../deploy/local/layout.ts';
import { aMotoAccount, motoSecret, type MotoAccount } from '../../support/moto-account.ts';
import { withAuthority } from '../../support/example-authority.ts';
import { startMoto, type Moto } from '../../support/moto.ts';
import { eventually } from '../../support/eventually.ts';
import { playKubelets, type CloudKubelets } from '../support/cloud-kubelets.ts';
import { Runbook } from '../support/runbook.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';

const { layout, temporalAddress } = testStack();
const { workers } = parse(readFileSync(join(chart, 'examples/aws.yaml'), 'utf8'));
const flags: Record<string, unknown> = workers.worker.flags;
const examples = 'deploy/examples';
/** The first byte of what gzip made. */
const gzipMagic = 0x1f;
/** In the user data that EC2 got: no token, or one of the machine's own. */
const joinsBy = {
  'aws-eks': /^MIME-Version: 1\.0\n[^]*\nkind: NodeConfig\n(?![^]*<<)/,
  'aws-kubeadm': /^#cloud-config\n[^]* token: [a-z0-9]{6}\.[a-z0-9]{16}\n(?![^]*<<)/,
};
const caOfExample = `        -----BEGIN CERTIFICATE-----
        CA-CERTIFICATE
        -----END CERTIFICATE-----`;
const classes = ['aws-eks', 'aws-kubeadm'] as const;

/** Of the stack's API server. */
function authority(): string {
  const { clusters } = parse(readFileSync(layout.kubeconfig, 'utf8'));
  return Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString();
}

describe('AWS from nothing', () => {
  let moto: Moto;
  let account: MotoAccount;
  // Before the worker starts, which finds EC2 by its environment.
  beforeAll(async () => {
    moto = await startMoto();
    account = await aMotoAccount(moto.url);
  });

  const scenario = useScenario('aws-nothing', {
    isDoubled: false,
    workerFlags: Object.entries(flags).map(([name, value]) => `--${name}=${String(value)}`),
    workerEnv: () => ({
      AWS_ENDPOINT_URL_EC2: moto.url,
      // As those that EKS gives the worker's pod.
      AWS_ACCESS_KEY_ID: motoSecret.providerAccessKeyId,
      AWS_SECRET_ACCESS_KEY: motoSecret.providerSecretAccessKey,
    }),
  });
  const { cluster, namespace } = scenario;
  let kubelets: CloudKubelets;
  afterAll(async () => {
    await kubelets.stop();
    account.close();
    await moto.stop();
  });
  beforeAll(() => {
    kubelets = playKubelets(() => account.nodes(), cluster);
  });

  async function pageFor(name: string): Promise<Runbook> {
    const page = await Runbook.open('../clouds/aws-from-nothing.md', {
      KUBECONFIG: layout.kubeconfig,
      TEMPORAL_ADDRESS: temporalAddress,
      TEMPORAL_NAMESPACE: `made-by-${namespace}`,
      AWS_REGION: 'eu-west-1',
      ACCOUNT: '123456789012',
      REGISTRY: 'registry',
      CLUSTER: 'my-cluster',
      CLASS: name,
      NAMESPACE: namespace,
    });
    // In a checkout npx finds the command among the packages.
    writeFileSync(join(page.folder, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
    mkdirSync(join(page.folder, examples, 'clouds'), { recursive: true });
    symlinkSync(join(repository, examples, 'temporal'), join(page.folder, examples, 'temporal'));
    const file = join(examples, 'clouds', `${name}.yaml`);
    writeFileSync(join(page.folder, file), ownOf(readFileSync(join(repository, file), 'utf8')));
    return page;
  }

  /** With what the reader puts in. */
  function ownOf(text: string): string {
    return withAuthority(text, authority())
      .replace('ami-0123456789abcdef0', account.ami)
      .replace('subnet-0123456789abcdef0', account.subnetId)
      .replace('sg-0123456789abcdef0', account.securityGroupId)
      .replaceAll('my-cluster', namespace);
  }

  async function runningIds(): Promise<string[]> {
    const instances = await account.instances();
    return instances.flatMap(({ InstanceId = '', State }) =>
      State?.Name === 'running' ? [InstanceId] : [],
    );
  }

  const running = async (): Promise<number> => (await runningIds()).length;

  async function userData(): Promise<string[]> {
    const answers = (await runningIds()).map((InstanceId) =>
      account.ec2.describeInstanceAttribute({ InstanceId, Attribute: 'userData' }),
    );
    return (await Promise.all(answers)).map(({ UserData }) => {
      const bytes = Buffer.from(UserData?.Value ?? '', 'base64');
      return String(bytes[0] === gzipMagic ? gunzipSync(bytes) : bytes);
    });
  }

  test('step 2 makes the namespace, and nothing is left to do', async () => {
    const page = await pageFor('aws-eks');
    expect(await page.run('Make it')).toMatch(/^made {4}namespace: /m);
    expect(await page.type('millwright setup --check')).toMatch(/^there {3}namespace: /m);
  });

  test('the PostgreSQL of step 1 is taken by the API server', async () => {
    const page = await pageFor('aws-eks');
    const apply = 'kubectl -n "$NAMESPACE" apply --dry-run=server -f';
    const said = await page.type(`${apply} ${examples}/temporal/postgresql.yaml`);
    expect(said).toMatch(/^statefulset.apps\/postgresql created \(server dry run\)$/m);
  });

  test('the CA of step 6 is printed as it stands in the ConfigMap', async () => {
    const page = await pageFor('aws-kubeadm');
    const printed = await page.run('The CA');
    expect(withAuthority(caOfExample, authority())).toBe(printed.trimEnd());
  });

  // One after the other: both call their pool `pool`. The last step leaves nothing.
  test.each(classes)('steps 7 to 9 make a pool of %s, scale it and delete it', async (name) => {
    const page = await pageFor(name);
    await page.run('7. A pool');
    expect(await running()).toBe(1);
    expect(await userData()).toEqual([expect.stringMatching(joinsBy[name])]);
    await page.run('8. Scale it');
    expect(await running()).toBe(3);
    await page.run('The pool');
    await eventually('no instance runs', async () => expect(await running()).toBe(0));
    const left = await page.type(
      'kubectl -n "$NAMESPACE" get machinedeployments,machinesets,machines -o name',
    );
    expect(left).toBe('');
  });
});
