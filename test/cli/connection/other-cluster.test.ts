/** Commands find the Temporal of their own cluster, and do not take another one for it. */
import { defaultPayloadConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import Long from 'long';
import { writeInstallNote } from '../../../kube/objects/install-note.ts';
import { explain } from '../../../cli/explain/explain.ts';
import { notedFlags } from '../../../cli/install/read.ts';
import { installFlagsOf } from '../../../cli/install/flags.ts';
import { status } from '../../../cli/status/status.ts';
import { timeline } from '../../../cli/timeline/timeline.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { withEnvironment, withoutTemporal } from '../../support/environment.ts';
import type { FakeTemporal } from '../../workers/temporal/fake-temporal.ts';
import { startFakeTemporal } from '../../workers/temporal/fake-temporal.ts';
import { aMachine, running } from '../diagnosis/objects.ts';

const { DescribeNamespaceResponse, DescribeWorkflowExecutionResponse } =
  proto.temporal.api.workflowservice.v1;
const object = { kind: 'machine', name: 'a' } as const;
const servers: FakeTemporal[] = [];

withEnvironment({ ...withoutTemporal(), NO_COLOR: '1', HOME: '/nowhere' });

afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => await server.close()));
});

/** Of a cluster; its namespace "default" has the id `of-<cluster>`. */
async function aTemporalOf(cluster: string): Promise<FakeTemporal> {
  const namespace = DescribeNamespaceResponse.encode({ namespaceInfo: { id: `of-${cluster}` } });
  const KubeCluster = defaultPayloadConverter.toPayload(cluster);
  const run = DescribeWorkflowExecutionResponse.encode({
    workflowExecutionInfo: {
      execution: { workflowId: 'machine/shoot/a', runId: 'run' },
      type: { name: 'machine' },
      startTime: { seconds: Long.ONE },
      status: 2,
      searchAttributes: { indexedFields: { KubeCluster: typed(KubeCluster) } },
    },
  });
  const server = await startFakeTemporal(({ method }) => {
    if (method === 'DescribeNamespace') return namespace.finish();
    return method === 'DescribeWorkflowExecution' ? run.finish() : undefined;
  });
  servers.push(server);
  return server;
}

function typed(payload: ReturnType<typeof defaultPayloadConverter.toPayload>) {
  return { ...payload, metadata: { ...payload.metadata, type: Buffer.from('Keyword') } };
}

/** Its watcher has noted `address` on its Lease. */
function aCluster(address: string, isNoted = true) {
  const temporal = { address, namespace: 'default', id: 'of-ours' };
  const note = writeInstallNote({ cluster: 'ours', name: 'pools', isFleet: false, temporal });
  const kube = new InMemoryClient(
    aMachine('a', { status: running }),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid: 'ours' } },
    {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        namespace: 'shoot',
        name: 'millwright',
        annotations: isNoted ? { 'millwright.dev/install': note } : {},
      },
      spec: { holderIdentity: 'watcher-0', renewTime: new Date().toISOString() },
    },
  );
  return { kube, namespace: 'shoot' };
}

test('the address is on the Lease of the watcher', async () => {
  const { address } = await aTemporalOf('ours');
  const { text } = await explain(aCluster(address), { object });
  expect(text).toContain('Workflow machine/shoot/a');
  expect(text).not.toContain('--temporal-address');
  expect((await status(aCluster(address), {})).text).toContain(`Temporal: ${address} answers in`);
});

test('with a key of Temporal in the environment it is not sent where the Lease says', async () => {
  const install = await notedFlags(aCluster('evil:7233'), installFlagsOf([]), {
    TEMPORAL_API_KEY: 'key',
  });
  expect(install).toMatchObject({ temporalAddress: '', clusterId: 'ours', name: 'pools' });
});

test.each([true, false])(
  'a run of the same id in the Temporal of another cluster is not shown (noted on the Lease: %s)',
  async (isNoted) => {
    const { address: temporalAddress } = await aTemporalOf('theirs');
    const place = aCluster('127.0.0.1:1', isNoted);
    const other = /is that of another cluster: machine\/shoot\/a there is of cluster theirs/;
    const { text } = await explain(place, { object, temporalAddress });
    expect(text).toMatch(other);
    expect(text).not.toContain('Workflow machine/shoot/a');
    expect((await timeline(place, { object, temporalAddress })).text).toMatch(other);
  },
);

test('status says that the Temporal which answers is not that of this install', async () => {
  const { address: temporalAddress } = await aTemporalOf('theirs');
  const { text, data } = await status(aCluster('own:7233'), { temporalAddress });
  expect(text).toContain(`Temporal: ${temporalAddress} is not that of this install`);
  expect(text).toContain('whose watcher has own:7233, namespace default');
  expect(data).toMatchObject({ temporal: { isOther: { address: 'own:7233' } } });
});
