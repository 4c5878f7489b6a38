/** Whether an admission policy keeps MCM from recording what it makes. */
import { policyAgainst } from '../../../cli/migrate/policy.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const mcm = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'mcm', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
  },
];

/** An API server with one policy for the providerIDs of the namespaces that it selects. */
class WithPolicy extends InMemoryClient {
  readonly #namespaceSelector: object | undefined;

  constructor(namespaceSelector: object | undefined, labels: Record<string, string>) {
    super({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shoot', labels } });
    this.#namespaceSelector = namespaceSelector;
  }

  override async get<T>(path: string): Promise<T>;
  override async get(path: string): Promise<unknown> {
    if (!path.endsWith('/validatingadmissionpolicies')) return await super.get(path);
    const spec = {
      matchConstraints: { namespaceSelector: this.#namespaceSelector },
      matchConditions: [{ name: 'who', expression: '!(request.userInfo.username in ["x"])' }],
    };
    return { metadata: {}, items: [{ metadata: { name: 'a-provider-id' }, spec }] };
  }
}

const name = 'kubernetes.io/metadata.name';
const labels = { [name]: 'shoot', fleet: 'eu' };
const labelled = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, values }],
});

test.each([
  { of: 'its name', selector: { matchLabels: { [name]: 'shoot' } } },
  { of: 'several names', selector: labelled(name, 'In', 'other', 'shoot') },
  { of: 'its labels', selector: labelled('fleet', 'In', 'eu') },
  { of: 'all but kube-system', selector: labelled(name, 'NotIn', 'kube-system') },
  { of: 'all', selector: {} },
  { of: 'all, in no words', selector: undefined },
])('finds the policy for $of', async ({ selector }) => {
  const found = await policyAgainst(new WithPolicy(selector, labels), 'shoot', mcm);
  expect(found).toMatch(/^admission policy a-provider-id keeps MCM \(system:service.*\) from/);
});

test.each([
  { of: 'another name', selector: { matchLabels: { [name]: 'other' } } },
  { of: 'other names', selector: labelled(name, 'In', 'other', 'more') },
  { of: 'other labels', selector: labelled('fleet', 'In', 'us') },
])('leaves that for $of alone', async ({ selector }) => {
  const found = await policyAgainst(new WithPolicy(selector, labels), 'shoot', mcm);
  expect(found).toBeUndefined();
});

test('goes by the name where the Namespace cannot be read', async () => {
  const kube = new WithPolicy(labelled(name, 'In', 'shoot'), labels);
  kube.fault = ({ path }) =>
    path.endsWith('/shoot') ? { code: 403, reason: 'Forbidden' } : undefined;
  expect(await policyAgainst(kube, 'shoot', mcm)).toBeDefined();
});
