/** Serving certificates of kubelets: approved by the worker, signed by Kubernetes itself. */
import 'reflect-metadata';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as x509 from '@peculiar/x509';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import type { CertificateSigningRequest } from '../../../activities/serving-certificates/review.ts';
import { requestsPath } from '../../../activities/serving-certificates/review.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aRequest, aSigningRequest } from '../../support/certificate-requests.ts';
import { eventually } from '../../support/eventually.ts';
import { untilEvent } from '../support/events.ts';
import { createDeployment, deleteMachine, untilRunning } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';

describe('with --approve-kubelet-serving', () => {
  const scenario = useScenario('serving', {
    workerFlags: ['--approve-kubelet-serving'],
    isDoubled: false,
  });
  const { cluster, operator } = scenario;
  let machines: Machine[];

  beforeAll(async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    machines = await untilRunning(scenario, pool, 2);
  });

  test('what the Node and the cloud agree on is approved, and signed', async () => {
    const { nodeName, address } = ours();
    const name = await ask(nodeName, [dns(nodeName), ip(address)]);
    const certificate = await untilSigned(name);
    expect(certificate.subject).toBe(`O=system:nodes\nCN=system:node:${nodeName}`);
    expect(certificate.subjectAltName).toBe(`DNS:${nodeName}, IP Address:${address}`);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect((await requestOf(name)).status?.conditions).toMatchObject([
      {
        type: 'Approved',
        reason: 'ApprovedByMillwright',
        message: `Node ${nodeName} is that of Machine ${scenario.namespace}/${nodeName}, and the cloud reported these addresses`,
      },
    ]);
  });

  test('anything else is left alone, and said why', async () => {
    const [{ nodeName, address }, other] = [ours(), ours(1)];
    const foreign = scenario.named('foreign').name;
    await cluster.target.create(nodePath(), { kind: 'Node', metadata: { name: foreign } });
    const asked = await Promise.all([
      ask(nodeName, [dns(nodeName), ip(other.address)]),
      ask(nodeName, [dns(nodeName), dns(other.nodeName)]),
      ask(nodeName, [dns(nodeName), ip(address), dns('kubernetes.default.svc')]),
      ask(nodeName, [dns(nodeName), { type: 'url', value: 'https://kubernetes' }]),
      ask(foreign, [dns(foreign)]),
    ]);
    const unknown = (name: string): object =>
      leftAlone(`DNS name "${name}": the cloud reported no such name for Machine ${nodeName}`);
    for (const event of [
      leftAlone(
        `IP address "${other.address}": the cloud reported ${address} for Machine ${nodeName}`,
      ),
      unknown(other.nodeName),
      unknown('kubernetes.default.svc'),
    ]) {
      await untilEvent(scenario, { kind: 'Machine', name: nodeName }, event);
    }
    await untilLogged(asked[3], 'subjectAltName: must be DNS names and IP addresses only');
    await untilLogged(asked[4], `no Machine of ours names Node ${foreign}`);
    await cluster.target.delete(nodePath(foreign));
    for (const name of asked) expect((await requestOf(name)).status).toEqual({});
  });

  test('what was asked while no worker ran, or when one died, is approved later', async () => {
    const { nodeName, address } = ours();
    await operator.retire('worker');
    const before = await ask(nodeName, [dns(nodeName), ip(address)]);
    operator.startAgain('worker');
    await untilSigned(before);
    const during = await ask(nodeName, [ip(address)]);
    await operator.kill9('worker');
    expect((await untilSigned(during)).subject).toContain(nodeName);
  });

  test('the name of a Machine that is gone gets nothing', async () => {
    const { nodeName, address } = ours(1);
    await deleteMachine(scenario, nodeName);
    const name = await ask(nodeName, [dns(nodeName), ip(address)]);
    await untilLogged(name, `no Machine of ours names Node ${nodeName}`);
    expect((await requestOf(name)).status).toEqual({});
  });

  function ours(index = 0): { nodeName: string; address: string } {
    const { metadata, status } = machines[index] ?? {};
    const address = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
    if (metadata === undefined || address === undefined) throw new Error('there is no address');
    return { nodeName: metadata.name, address };
  }

  async function requestOf(name: string): Promise<CertificateSigningRequest> {
    return await cluster.target.get<CertificateSigningRequest>(`${requestsPath}/${name}`);
  }

  async function untilSigned(name: string): Promise<X509Certificate> {
    return await eventually(`${name} is signed`, async () => {
      const { certificate = '' } = (await requestOf(name)).status ?? {};
      return certificate !== '' && new X509Certificate(Buffer.from(certificate, 'base64'));
    });
  }

  async function untilLogged(name: string | undefined, reason: string): Promise<void> {
    await eventually(`the log says of ${name}: ${reason}`, () => {
      const lines = readFileSync(join(operator.logs, 'worker.log'), 'utf8').split('\n');
      const said = lines.filter((line) => line.includes(`"name":"${name}"`));
      return said.some((line) => line.includes(JSON.stringify(reason).slice(1, -1)));
    });
  }
});

let counter = 0;
const dns = (value: string): { type: 'dns'; value: string } => ({ type: 'dns', value });
const ip = (value: string): { type: 'ip'; value: string } => ({ type: 'ip', value });

const leftAlone = (reason: string): object => ({
  type: 'Warning',
  reason: 'ServingCertificateLeftAlone',
  message: `The request for a serving certificate of the kubelet is left alone: ${reason}`,
});

/** As the kubelet of that Node, whose name the API server knows. Returns the name. */
async function ask(nodeName: string, names: x509.JsonGeneralNames): Promise<string> {
  const name = `${nodeName}-${(counter += 1)}`;
  const pem = await aRequest({ nodeName, names });
  const kubectl = await preparedBinary('kubectl');
  const { kubeconfig, kubectlCache } = testStack().layout;
  const as = [`--as=system:node:${nodeName}`, '--as-group=system:nodes'];
  const args = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${kubectlCache}`, ...as];
  const input = JSON.stringify(aSigningRequest(pem, { name }));
  await runProgram(kubectl, [...args, 'create', '-f', '-'], { input });
  return name;
}
