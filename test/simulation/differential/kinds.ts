/**
 * The kinds that are asked for, with contents that are whole: what a real server fills in by its
 * defaults is there already.
 */
import { apiVersion as machineApi } from '../../../workflows/api/constants.ts';

export interface Kind {
  kind: string;
  apiVersion: string;
  /** Of the group: before the namespace. */
  root: string;
  plural: string;
  isNamespaced: boolean;
  isCustom: boolean;
  /** The real server keeps none of its own: lists of all namespaces can be compared. */
  isOursAlone: boolean;
  /** Its spec is not replaced. */
  isFixed: boolean;
  /** Beside metadata, for a create or a PUT; `$namespace` stands for that of the object. */
  contents: readonly object[];
  /** Merge patches of it. */
  changes: readonly object[];
  /** Of `status`; none where it is not kept apart. */
  statuses: readonly object[];
  fieldSelectors: readonly string[];
}

const byName = ['metadata.name=a', 'metadata.name!=b'];
const byPlace = [...byName, 'metadata.namespace=one', 'metadata.name=a,metadata.namespace!=two'];

function builtIn(kind: string, more: Partial<Kind>): Kind {
  return {
    kind,
    apiVersion: 'v1',
    root: '/api/v1',
    plural: `${kind.toLowerCase()}s`,
    isNamespaced: true,
    isCustom: false,
    isOursAlone: false,
    isFixed: false,
    contents: [{}],
    changes: [],
    statuses: [],
    fieldSelectors: byPlace,
    ...more,
  };
}

function custom(kind: string, more: Partial<Kind>): Kind {
  return builtIn(kind, {
    apiVersion: machineApi,
    root: `/apis/${machineApi}`,
    isCustom: true,
    isOursAlone: true,
    ...more,
  });
}

const machineSpec = { class: { kind: 'MachineClass', name: 'small' } };
const template = { metadata: { labels: { l: '1' } }, spec: machineSpec };
const selector = { matchLabels: { l: '1' } };
const condition = { type: 'Ready', status: 'True', reason: 'x' };
const time = '2026-01-01T00:00:00Z';
const phase = { phase: 'Running', lastUpdateTime: time };

const machine = custom('Machine', {
  contents: [
    { spec: machineSpec },
    { spec: { ...machineSpec, providerID: 'virtual:///1' }, status: { currentStatus: phase } },
  ],
  changes: [
    { spec: { providerID: 'virtual:///2' } },
    { spec: { providerID: null } },
    { spec: { class: { name: 'large' } } },
    { spec: { nodeTemplate: { metadata: { labels: { x: 'y' } }, spec: {} } } },
    { status: { currentStatus: { phase: 'Failed' } } },
    { spec: { unknown: 1, class: { more: true }, providerID: 'virtual:///3' } },
    { spec: { providerID: 5 } },
    { spec: { class: null } },
    { spec: { drainTimeout: 'soon', class: { name: '' } } },
    { spec: null },
  ],
  statuses: [
    { currentStatus: phase },
    { currentStatus: { phase: 'Failed' }, conditions: [condition] },
    { conditions: null },
    {},
  ],
  fieldSelectors: [
    ...byPlace,
    'status.currentStatus.phase=Running',
    'status.currentStatus.phase!=Failed,spec.class.name=small',
    'spec.providerID=',
  ],
});

const machineSet = custom('MachineSet', {
  contents: [
    { spec: { replicas: 1, selector, template } },
    { spec: { replicas: null, selector, template, unknown: { a: 1 } } },
  ],
  changes: [
    { spec: { replicas: 2 } },
    { spec: { replicas: 1, minReadySeconds: 5 } },
    { spec: { replicas: 'many' } },
    { spec: { replicas: -1 } },
    { spec: { selector: { matchLabels: { z: 'z' } } } },
    { spec: { template: { unknown: 1, metadata: { other: 1 } } } },
  ],
  statuses: [{ replicas: 1, readyReplicas: 1, unknown: 1 }, { replicas: 0 }, { replicas: 'x' }],
});

const machineDeployment = custom('MachineDeployment', {
  contents: [{ spec: { replicas: 1, selector, template, strategy: { type: 'Recreate' } } }],
  changes: [{ spec: { replicas: 3 } }, { spec: { paused: true } }, { spec: { paused: null } }],
  statuses: [{ replicas: 1, observedGeneration: 1 }, { updatedReplicas: 2 }],
});

const machineClass = custom('MachineClass', {
  plural: 'machineclasses',
  isOursAlone: false,
  contents: [{ provider: 'virtual', providerSpec: { a: { b: [1] } } }],
  changes: [
    { providerSpec: { a: { b: [1, 2] } } },
    { providerSpec: { a: null } },
    { provider: 5 },
    { providerSpec: null },
    { nodeTemplate: { capacity: { cpu: 1, gpu: 'x' }, region: '' } },
    {
      nodeTemplate: {
        capacity: { cpu: 1, gpu: 0, memory: '1Gi' },
        region: '',
        zone: 'z',
        instanceType: 'i',
      },
    },
  ],
});

const configMap = builtIn('ConfigMap', {
  contents: [{ data: { a: '1' } }, { data: { a: '1', b: '2' } }],
  changes: [{ data: { a: '2' } }, { data: { b: null } }, { data: { c: '3' } }],
});

const secret = builtIn('Secret', {
  contents: [
    { type: 'Opaque', data: { a: 'Yg==' } },
    { type: 'Opaque', stringData: { a: 'b' } },
  ],
  changes: [{ data: { a: 'Yw==' } }, { stringData: { b: 'c' } }],
  fieldSelectors: [...byPlace, 'type=Opaque', 'type!=Opaque'],
});

const lease = builtIn('Lease', {
  apiVersion: 'coordination.k8s.io/v1',
  root: '/apis/coordination.k8s.io/v1',
  contents: [{ spec: { holderIdentity: 'a', leaseDurationSeconds: 15 } }],
  changes: [{ spec: { holderIdentity: 'b' } }, { spec: { holderIdentity: null } }],
});

const nodeInfo = Object.fromEntries(
  [
    'machineID',
    'systemUUID',
    'bootID',
    'kernelVersion',
    'osImage',
    'containerRuntimeVersion',
    'kubeletVersion',
    'kubeProxyVersion',
    'operatingSystem',
    'architecture',
  ].map((field) => [field, '']),
);
const daemonEndpoints = { kubeletEndpoint: { Port: 0 } };
const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const nodeStatus = { daemonEndpoints, nodeInfo };
const nodeCondition = { ...condition, lastHeartbeatTime: time, lastTransitionTime: time };

const node = builtIn('Node', {
  isNamespaced: false,
  contents: [{ spec: { taints: [notReady], providerID: 'virtual:///1' }, status: nodeStatus }],
  changes: [
    { spec: { unschedulable: true } },
    { spec: { unschedulable: null } },
    { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
    { spec: { taints: null } },
  ],
  statuses: [
    { ...nodeStatus, conditions: [nodeCondition] },
    { ...nodeStatus, conditions: [{ ...nodeCondition, type: 'Other' }] },
    { ...nodeStatus, addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
    { ...nodeStatus, addresses: [{ type: 'Hostname', address: 'a' }] },
    { conditions: null },
  ],
  fieldSelectors: [...byName, 'spec.unschedulable=true', 'spec.unschedulable!=true'],
});

const grace = 'terminationGracePeriodSeconds';
const podSpec = {
  containers: [
    {
      name: 'c',
      image: 'i',
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      imagePullPolicy: 'IfNotPresent',
    },
  ],
  restartPolicy: 'Always',
  // Longer than a comparison takes: what is left of it does not depend on the clock.
  [grace]: 1800,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
  tolerations: ['not-ready', 'unreachable'].map((name) => ({
    key: `node.kubernetes.io/${name}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  })),
  priority: 0,
  enableServiceLinks: true,
  preemptionPolicy: 'PreemptLowerPriority',
};
const podStatus = { phase: 'Pending', qosClass: 'BestEffort' };
const podCondition = { ...condition, lastProbeTime: time, lastTransitionTime: time };

const pod = builtIn('Pod', {
  isFixed: true,
  isOursAlone: true,
  contents: [
    { spec: podSpec, status: podStatus },
    { spec: { ...podSpec, nodeName: 'a' }, status: podStatus },
    { spec: { ...podSpec, nodeName: 'b', [grace]: 7200 }, status: podStatus },
  ],
  statuses: [
    { ...podStatus, phase: 'Running', conditions: [podCondition] },
    { ...podStatus, phase: 'Succeeded' },
    { ...podStatus, conditions: [{ ...podCondition, type: 'Initialized' }] },
  ],
  fieldSelectors: [...byPlace, 'spec.nodeName=a', 'status.phase!=Pending,spec.nodeName=b'],
});

const healthy = { disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
const unknown = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };

const budget = builtIn('PodDisruptionBudget', {
  isOursAlone: true,
  apiVersion: 'policy/v1',
  root: '/apis/policy/v1',
  contents: [
    // No pod is under it: evictions meet no budget.
    { spec: { minAvailable: 1, selector: { matchLabels: { never: 'there' } } }, status: unknown },
  ],
  changes: [{ spec: { minAvailable: 2 } }, { spec: { minAvailable: '50%' } }],
  statuses: [healthy, { ...healthy, observedGeneration: 1 }],
});

const event = builtIn('Event', {
  contents: [
    {
      involvedObject: { kind: 'Machine', namespace: '$namespace', name: 'm', uid: 'u' },
      reason: 'R',
      message: 'm',
      type: 'Normal',
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    },
  ],
  changes: [{ count: 2 }, { message: 'n' }],
  fieldSelectors: [...byPlace, 'involvedObject.name=m,type=Normal', 'reason!=R'],
});

export const kinds: readonly Kind[] = [
  machine,
  machine,
  machineSet,
  machineDeployment,
  machineClass,
  configMap,
  secret,
  lease,
  node,
  node,
  pod,
  pod,
  budget,
  event,
];

/** `mark` holds one ConfigMap, and nothing else is asked for there. */
export const namespaces = ['one', 'two', 'mark'] as const;
