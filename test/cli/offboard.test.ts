/** What a namespace that leaves is asked for before anything is removed. */
import { defaultPayloadConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import Long from 'long';
import { offboard } from '../../cli/offboard/offboard.ts';
import { lease } from '../../kube/client/paths.ts';
import { neededFinalizer } from '../../kube/leases/lease-lock.ts';
import { holderAnnotation } from '../../kube/leases/observed-lease.ts';
import { InMemoryClient } from '../support/api-server/in-memory-client.ts';
import { startFakeTemporal } from '../workers/temporal/fake-temporal.ts';

const asked = { namespace: 'shoot', keepsMachines: false, isConfirmed: true };

/** For a kind without a CRD an API server answers 404 with plain text instead of a `Status`. */
function aPlaceWithoutCrds() {
  const system = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } };
  const kube = new InMemoryClient(system);
  kube.fault = ({ path }) =>
    path.includes('/machine.sapcloud.io/')
      ? { code: 404, reason: 'HTTP404', message: '404 page not found' }
      : undefined;
  return { kube, namespace: 'default' };
}

test('without CRDs it says what that means, and the option that helps', async () => {
  const place = aPlaceWithoutCrds();
  const answer = offboard(place, asked, {});
  await expect(answer).rejects.toThrow('serves no machinedeployments.machine.sapcloud.io');
  await expect(answer).rejects.toThrow('--keep-machines');
  expect(place.kube.writes()).toEqual([]);
});

test('with --keep-machines it needs no CRDs', async () => {
  const place = aPlaceWithoutCrds();
  const options = { ...asked, keepsMachines: true, temporalAddress: 'temporal:7233' };
  // Temporal comes after all that is read of the API server, and these settings are refused.
  const env = { TEMPORAL_API_KEY: 'key', TEMPORAL_TLS: 'false' };
  await expect(offboard(place, options, env)).rejects.toThrow('TEMPORAL_TLS');
});

const aLease = (name: string, holder: string, noted: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace: 'shoot', annotations: { [holderAnnotation]: noted } },
  spec: { holderIdentity: holder, renewTime: new Date().toISOString(), leaseDurationSeconds: 15 },
});

test('a watcher whose own Lease is elsewhere, or that of MCM, still serves the namespace', async () => {
  const place = aPlaceWithoutCrds();
  place.kube.put(aLease('machine-controller-manager', 'watcher-1', 'watcher-1'));
  const answer = offboard(place, { ...asked, keepsMachines: true }, {});
  await expect(answer).rejects.toThrow(
    'Namespace shoot is served: watcher watcher-1 holds the Lease shoot/machine-controller-manager',
  );
  expect(place.kube.writes()).toEqual([]);
});

test('an MCM that has taken its Lease over from a watcher does not serve it', async () => {
  const place = aPlaceWithoutCrds();
  place.kube.put(aLease('machine-controller-manager', 'mcm-1', 'watcher-1'));
  const env = { TEMPORAL_API_KEY: 'key', TEMPORAL_TLS: 'false' };
  const options = { ...asked, keepsMachines: true, temporalAddress: 'temporal:7233' };
  await expect(offboard(place, options, env)).rejects.toThrow('TEMPORAL_TLS');
});

test('where no install has claimed the namespace, it names the Temporal namespace that it asked', async () => {
  const temporal = await startFakeTemporal(({ method }) =>
    method === 'DescribeWorkflowExecution' ? { code: 5, message: 'not found' } : undefined,
  );
  const options = {
    ...asked,
    keepsMachines: true,
    temporalAddress: temporal.address,
    temporalNamespace: 'mistyped',
  };
  try {
    const place = aPlaceWithoutCrds();
    const { text, data } = await offboard(place, options, {});
    expect(text).toContain('Nothing is left of namespace shoot.');
    expect(text).toContain(`Namespace mistyped of Temporal at ${temporal.address} has no claim`);
    expect(data).toMatchObject({ isInstallKnown: false });

    const left = aLease('millwright', '', 'watcher-1');
    place.kube.put({ ...left, metadata: { ...left.metadata, finalizers: [neededFinalizer] } });
    expect(await offboard(place, options, {})).toMatchObject({ exitCode: 0 });
    expect(place.kube.has(lease('shoot', 'millwright'))).toBe(false);
  } finally {
    await temporal.close();
  }
});

const { ListWorkflowExecutionsResponse } = proto.temporal.api.workflowservice.v1;

/** Each list has the next of these; a list lags behind by seconds. */
async function aTemporalThatLists(lists: string[][]) {
  return await startFakeTemporal(({ method, text }) => {
    if (method === 'ListWorkflowExecutions') {
      const runs = text.includes('WorkflowType="claim"') ? [] : (lists.shift() ?? []);
      const executions = runs.map((runId) => ({
        execution: { workflowId: 'machine/shoot/a', runId },
        type: { name: 'machine' },
        startTime: { seconds: Long.ONE },
        status: 1,
      }));
      return ListWorkflowExecutionsResponse.encode({ executions }).finish();
    }
    const isThere = !method.startsWith('Describe');
    return isThere ? undefined : { code: 5, message: 'not found' };
  });
}

test('ends also the runs that the list did not show at first, such as one that went on as new', async () => {
  const temporal = await aTemporalThatLists([['first'], ['first', 'second'], []]);
  const options = {
    ...asked,
    install: 'shoot',
    keepsMachines: true,
    temporalAddress: temporal.address,
  };
  try {
    const { text, exitCode } = await offboard(aPlaceWithoutCrds(), options, {});
    const ended = temporal.calls.filter(({ method }) => method === 'TerminateWorkflowExecution');
    expect(ended.map((call) => /first|second/.exec(call.text)?.[0])).toEqual(['first', 'second']);
    expect(text.match(/removed workflow machine\/shoot\/a/g)).toHaveLength(2);
    expect(exitCode).toBe(0);
  } finally {
    await temporal.close();
  }
});

test('without --yes it lists once, and ends nothing', async () => {
  const temporal = await aTemporalThatLists([['first'], ['second']]);
  const options = {
    ...asked,
    install: 'shoot',
    isConfirmed: false,
    keepsMachines: true,
    temporalAddress: temporal.address,
  };
  try {
    const { text } = await offboard(aPlaceWithoutCrds(), options, {});
    expect(text).toContain('found workflow machine/shoot/a');
    const methods = temporal.calls.map(({ method }) => method);
    // Once the claims of other namespaces, and once the runs.
    expect(methods.filter((method) => method === 'ListWorkflowExecutions')).toHaveLength(2);
    expect(methods).not.toContain('TerminateWorkflowExecution');
  } finally {
    await temporal.close();
  }
});

const { DescribeWorkflowExecutionResponse } = proto.temporal.api.workflowservice.v1;

const claimOf = (workflowId: string, holder: string) => ({
  execution: { workflowId, runId: 'run' },
  type: { name: 'claim' },
  startTime: { seconds: Long.ONE },
  status: 1,
  memo: { fields: { holder: defaultPayloadConverter.toPayload(holder) } },
});

const { DescribeScheduleResponse } = proto.temporal.api.workflowservice.v1;

/** Of an install that serves one namespace or several. */
const rounds = DescribeScheduleResponse.encode({
  schedule: {
    spec: {},
    policies: {},
    state: {},
    action: {
      startWorkflow: {
        workflowId: 'safety/all/shoot',
        workflowType: { name: 'safety' },
        taskQueue: { name: 'millwright/cluster/shoot' },
        input: { payloads: [defaultPayloadConverter.toPayload({ cluster: 'cluster' })] },
      },
    },
  },
  info: { createTime: { seconds: Long.ONE } },
}).finish();

/** Where these claims are held, and there are rounds, and nothing else is. */
async function aTemporalWithClaims(claims: Readonly<Record<string, string>>) {
  return await startFakeTemporal(({ method, text }) => {
    const found = Object.entries(claims).map(([id, holder]) => claimOf(id, holder));
    if (method === 'ListWorkflowExecutions') {
      const executions = text.includes('WorkflowType="claim"') ? found : [];
      return ListWorkflowExecutionsResponse.encode({ executions }).finish();
    }
    const described = found.find(({ execution }) => text.includes(execution.workflowId));
    if (method === 'DescribeWorkflowExecution' && described)
      return DescribeWorkflowExecutionResponse.encode({
        workflowExecutionInfo: described,
      }).finish();
    if (method === 'DescribeSchedule' && text.includes('safety/all/shoot')) return rounds;
    return method.startsWith('Describe') ? { code: 5, message: 'not found' } : undefined;
  });
}

test.each([
  { what: 'of an install that was alone goes', others: {}, goes: true },
  {
    what: 'of a fleet with the name of the namespace stays, as it serves another one',
    others: { 'claim/namespace/cluster/other': 'shoot' },
    goes: false,
  },
  {
    what: 'goes beside namespaces of other installs and clusters',
    others: { 'claim/namespace/cluster/a': 'a', 'claim/namespace/second/other': 'shoot' },
    goes: true,
  },
])('the claim of the name $what, and so do the rounds', async ({ others, goes }) => {
  const own = { 'claim/namespace/cluster/shoot': 'shoot', 'claim/install/cluster/shoot': 'none' };
  const temporal = await aTemporalWithClaims({ ...own, ...others });
  const options = {
    ...asked,
    clusterId: 'cluster',
    keepsMachines: true,
    temporalAddress: temporal.address,
  };
  try {
    const { text } = await offboard(aPlaceWithoutCrds(), options, {});
    expect(text).toContain('removed claim claim/namespace/cluster/shoot');
    expect(text.includes('removed claim claim/install/cluster/shoot')).toBe(goes);
    // First: it starts no more rounds.
    const first = text.startsWith('removed schedule safety/all/shoot\n');
    expect(first).toBe(goes);
  } finally {
    await temporal.close();
  }
});
