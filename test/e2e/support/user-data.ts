/** Pools whose user data Millwright makes, and what their machines left in the cluster. */
import { readFileSync } from 'node:fs';
// The library refuses to load without this.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import type { KubeObject } from '../../../kube/client/client.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import { annotations, apiVersion } from '../../../workflows/api/constants.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { SecretObject } from './cluster.ts';
import { createDeployment } from './machines.ts';
import { deploymentManifest } from './manifests.ts';
import type { Scenario } from './scenario.ts';
import { testStack } from './test-stack.ts';

interface ConfigMapObject extends KubeObject {
  data?: Record<string, string>;
}

/** `config.yaml` of the ConfigMap that the stack writes beside its example class. */
export async function stackConfig({ cluster }: Scenario): Promise<string> {
  const { namespace } = testStack().stack;
  const path = namespaced('configmaps', namespace, 'user-data');
  const { data } = await cluster.kube.get<ConfigMapObject>(path);
  return data?.['config.yaml'] ?? '';
}

interface Pool {
  profile: string;
  /** `config.yaml`. */
  config: string;
  replicas: number;
}

/** A class without a Secret, a ConfigMap and a deployment. Returns the deployment's name. */
export async function createUserDataPool(
  scenario: Scenario,
  name: string,
  { profile, config, replicas }: Pool,
): Promise<string> {
  const { cluster, namespace } = scenario;
  await cluster.kube.create(namespaced('configmaps', namespace), {
    metadata: { name },
    data: { 'config.yaml': config },
  });
  const asked = { [annotations.userData]: profile, [annotations.userDataConfig]: name };
  await cluster.create('machineclasses', {
    apiVersion,
    kind: 'MachineClass',
    metadata: { name, namespace, annotations: asked },
    provider: 'virtual',
    providerSpec: {},
  });
  const { spec }: { spec: { template: object } } = JSON.parse(
    JSON.stringify(deploymentManifest(scenario.named(name))),
  );
  const machine = { class: { kind: 'MachineClass', name } };
  const metadata = { labels: { name: `${namespace}-${name}` } };
  return await createDeployment(scenario, name, {
    ...spec,
    replicas,
    template: { metadata, spec: machine },
  });
}

/** Bootstrap tokens of these Machines that are there, `ID.SECRET`. */
export async function tokensOf(
  { cluster }: Scenario,
  machines: readonly Machine[],
): Promise<string[]> {
  const secrets = await cluster.list<SecretObject>(namespaced('secrets', 'kube-system'));
  const uids = machines.map(({ metadata }) => metadata.uid);
  const ours = secrets.filter(({ metadata }) =>
    uids.includes(metadata.annotations?.['millwright.dev/machine-uid'] ?? ''),
  );
  return ours.map(({ data = {} }) =>
    ['token-id', 'token-secret']
      .map((key) => Buffer.from(data[key] ?? '', 'base64').toString())
      .join('.'),
  );
}

interface SigningRequestObject extends KubeObject {
  spec: { username: string; signerName: string; request: string };
}

export interface AskedCertificate {
  /** User of the API server. */
  by: string;
  signer: string;
  subject: string;
  /** Names and addresses. */
  hosts: string[];
}

/** Certificates that were asked for for this Node. */
export async function certificatesAskedFor(
  { cluster }: Scenario,
  nodeName: string,
): Promise<AskedCertificate[]> {
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const requests = (await cluster.list<SigningRequestObject>(path)).map(askedIn);
  return requests
    .filter(({ subject }) => subject.endsWith(`CN=system:node:${nodeName}`))
    .toSorted((a, b) => (a.signer < b.signer ? -1 : 1));
}

function askedIn({ spec }: SigningRequestObject): AskedCertificate {
  const pem = Buffer.from(spec.request, 'base64').toString();
  const request = new x509.Pkcs10CertificateRequest(pem);
  const names = request.extensions.flatMap((extension) =>
    extension instanceof x509.SubjectAlternativeNameExtension ? extension.names.items : [],
  );
  return {
    by: spec.username,
    signer: spec.signerName,
    subject: request.subject,
    hosts: names.map(({ value }) => value),
  };
}

/** Who created this Node, by the log of the API server. */
export function creatorsOf(nodeName: string): string[] {
  const lines = readFileSync(testStack().layout.logOf('audit'), 'utf8').split('\n');
  return lines
    .filter((line) => line.includes('"verb":"create"') && line.includes(`"name":"${nodeName}"`))
    .map((line): AuditLine => JSON.parse(line))
    .filter(({ objectRef, responseStatus }) => {
      return objectRef?.resource === 'nodes' && responseStatus?.code === 201;
    })
    .map(({ user }) => user.username);
}

interface AuditLine {
  user: { username: string };
  objectRef?: { resource?: string };
  responseStatus?: { code?: number };
}
