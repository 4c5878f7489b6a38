import {
  addressOf,
  isPlayed,
  statusOf,
  type VirtualNode,
} from '../../../../deploy/local/virtual-cloud/kubelets/played-nodes.ts';
import {
  fakeKubelet,
  notReady,
  stopped,
} from '../../../../deploy/local/virtual-cloud/node-object.ts';
import type { ConditionStatus } from '../../../../workflows/api/meta.ts';

const now = '2026-11-28T10:00:00Z';
const metadata = { name: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: now };

function aNode(annotations: object, status: VirtualNode['status'] = {}): VirtualNode {
  return {
    metadata: { ...metadata, annotations: { ...annotations } },
    status,
  };
}

const saying = (status: ConditionStatus, reason = 'R') => ({
  conditions: [{ type: 'Ready', status, reason }],
});

test.each([
  { of: 'another', annotations: {}, expected: false },
  { of: 'ours', annotations: fakeKubelet, expected: true },
  { of: 'one that is not ready', annotations: { ...fakeKubelet, ...notReady }, expected: true },
  { of: 'a machine that is gone', annotations: { ...fakeKubelet, ...stopped }, expected: false },
])('a kubelet runs on the Node of $of: $expected', ({ annotations, expected }) => {
  expect(isPlayed(aNode(annotations))).toBe(expected);
});

describe('a kubelet writes', () => {
  test.each([
    { seen: {}, annotations: {}, writes: 'True' },
    { seen: saying('Unknown'), annotations: {}, writes: 'True' },
    { seen: saying('False', 'KubeletNotReady'), annotations: {}, writes: 'True' },
    { seen: saying('True'), annotations: {}, writes: undefined },
    { seen: {}, annotations: notReady, writes: 'False' },
    { seen: saying('True'), annotations: notReady, writes: 'False' },
    { seen: saying('Unknown', 'NodeStatusUnknown'), annotations: notReady, writes: 'False' },
    { seen: saying('False', 'KubeletNotReady'), annotations: notReady, writes: undefined },
  ])('$writes where $annotations is annotated and the status is $seen', (each) => {
    const { seen, annotations, writes } = each;
    const status = statusOf(aNode({ ...fakeKubelet, ...annotations }, seen), now);
    expect(status?.conditions?.[0]?.status).toBe(writes);
  });

  test('five conditions, and what the Node does not have yet', () => {
    expect(statusOf(aNode(fakeKubelet), now)).toMatchObject({
      conditions: [
        { type: 'Ready', lastHeartbeatTime: now, lastTransitionTime: now },
        { type: 'MemoryPressure', status: 'False' },
        { type: 'DiskPressure', status: 'False' },
        { type: 'PIDPressure', status: 'False' },
        { type: 'NetworkUnavailable', status: 'False' },
      ],
      addresses: [{ type: 'InternalIP' }, { type: 'Hostname', address: 'n' }],
      capacity: { cpu: '8' },
      allocatable: { cpu: '8' },
      nodeInfo: { operatingSystem: 'linux' },
    });
  });

  test('nothing over what the Node has', () => {
    const addresses = [{ type: 'InternalIP', address: '10.128.0.1' }];
    const capacity = { cpu: '2' };
    const node = aNode(fakeKubelet, {
      addresses,
      capacity,
      nodeInfo: { kubeletVersion: 'v1.30.0' },
    });
    const status = statusOf(node, now);
    expect(status).toMatchObject({ capacity, allocatable: capacity });
    expect(status).not.toHaveProperty('addresses');
    expect(status).not.toHaveProperty('nodeInfo');
    expect(addressOf(node)).toBe('10.128.0.1');
  });
});
