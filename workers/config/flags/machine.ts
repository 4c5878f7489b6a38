/** Flags about machines and their safety. Both are mostly the business of the worker. */
import { grouped, type Flags } from './flag.ts';
import { bootstrapGroups, duration, integer, names, oneOf, text } from './kinds.ts';

const ofMachines = {
  'machine-creation-timeout': {
    kind: duration,
    default: '20m',
    says: 'A machine without a Node after this long is Failed. The same for watcher and workers: the watcher shows machines that take half as long, and the deadline of new workflows.',
  },
  'machine-health-timeout': {
    kind: duration,
    default: '10m',
    says: 'A machine that is unhealthy for this long is Failed.',
    only: 'worker',
  },
  'machine-drain-timeout': {
    kind: duration,
    default: '2h',
    says: 'A deletion that drains for longer than this is forced.',
    only: 'worker',
  },
  'machine-inplace-update-timeout': {
    kind: duration,
    default: '20m',
    says: 'A machine that is updated in place for longer than this is InPlaceUpdateFailed.',
    only: 'worker',
  },
  'machine-max-evict-retries': {
    kind: integer({ min: 0 }),
    default: '360',
    says: 'Refused evictions of a pod, counted as one every 20 s, before it is deleted without asking its PodDisruptionBudget.',
    only: 'worker',
  },
  'machine-pv-detach-timeout': {
    kind: duration,
    default: '2m',
    says: 'Wait for the volumes of an evicted pod to be detached, on top of its grace period.',
    only: 'worker',
  },
  'machine-pv-reattach-timeout': {
    kind: duration,
    default: '90s',
    says: 'Wait for the volumes of an evicted pod to be attached to another node.',
    only: 'worker',
  },
  'machine-preserve-timeout': {
    kind: duration,
    default: '96h',
    says: 'How long a preserved machine is kept.',
    only: 'worker',
  },
  'node-conditions': {
    kind: names,
    default: 'KernelDeadlock,ReadonlyFilesystem,DiskPressure,NetworkUnavailable',
    says: 'Conditions of a Node that make its machine unhealthy when True. Case sensitive; blanks around a name are dropped (MCM keeps them).',
    only: 'worker',
  },
  'bootstrap-token-auth-extra-groups': {
    kind: bootstrapGroups,
    default: '',
    says: 'Groups, separated by commas, that a bootstrap token gives to a joining node. Each begins with "system:bootstrappers:", without which the API server refuses the token (MCM takes any text). Blanks around a name are dropped.',
    only: 'worker',
  },
  'resource-exhausted-retry': {
    kind: duration,
    default: '10m',
    says: 'Wait before an instance is asked for again when the cloud had none left. 0: 10m.',
    only: 'worker',
  },
} as const satisfies Flags;

const ofSafety = {
  'safety-up': {
    kind: integer({ min: 0 }),
    default: '2',
    says: 'A MachineSet is frozen when it has so many machines more than its deployment wants with its maxSurge, or more than twice its own replicas when it has none.',
    only: 'worker',
  },
  'safety-down': {
    kind: integer({ min: 0 }),
    default: '1',
    says: 'The freeze ends so many machines below the limit of --safety-up.',
    only: 'worker',
  },
  'machine-safety-overshooting-period': {
    kind: duration,
    default: '1m',
    says: 'Time between two checks for MachineSets with too many machines. At least 1s.',
    only: 'worker',
  },
  'machine-safety-orphan-vms-period': {
    kind: duration,
    default: '15m',
    says: 'Time between two checks for Nodes without a Machine, and between two searches for instances without one while there is a reason to search. Without a reason the search comes every four periods, in a fleet less often. At least 1s.',
    only: 'worker',
  },
  'safety-orphans': {
    kind: oneOf('delete', 'report', 'off'),
    default: 'delete',
    says: 'What becomes of instances without a Machine: deleted when two searches agree, reported only, or not searched for.',
    only: 'worker',
    ours: true,
  },
  'safety-orphans-max-deletions': {
    kind: integer({ min: 0, max: 200 }),
    default: '10',
    says: 'When more instances than these are without a Machine none of them is deleted: so many at once are a mistake.',
    only: 'worker',
    ours: true,
  },
  'safety-orphans-min-age': {
    kind: duration,
    default: '10m',
    says: 'An instance without a Machine is suspected when it is older than this, and deleted when it has been suspected for longer than this.',
    only: 'worker',
    ours: true,
  },
  'safety-entities-period': {
    kind: duration,
    default: '5m',
    says: 'Time between two comparisons of Machines, MachineSets and MachineDeployments with their workflows. At least 1s.',
    only: 'worker',
    ours: true,
  },
  'safety-unmanaged-nodes-selector': {
    kind: text,
    default: '',
    says: 'Label selector of the Nodes that are marked when they have no Machine. Needed where Nodes of other managers are in the target cluster. Default: all Nodes, as in MCM.',
    only: 'worker',
    ours: true,
  },
  'machine-safety-apiserver-statuscheck-timeout': {
    kind: duration,
    default: '30s',
    says: 'Outage of an API server after which the check safety/reachability says frozen. Health clocks stand still from its beginning.',
    only: 'worker',
  },
  'machine-safety-apiserver-statuscheck-period': {
    kind: duration,
    default: '1m',
    says: 'Time between two checks of the API servers. At least 1s.',
    only: 'worker',
  },
} as const satisfies Flags;

export const machineFlags = {
  ...grouped('Machines', ofMachines),
  ...grouped('Safety', ofSafety),
};
