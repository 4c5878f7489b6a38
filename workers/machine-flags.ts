/** Flags about machines and their safety. Both are the business of the worker. */
import type { Flag } from './flag.ts';
import { duration, integer, names, text } from './flag-kinds.ts';

const notYet = 'Millwright has no such check yet.';
const alwaysLooks =
  'Machine and Node are read again before anything is destroyed, and a deadline moves while an API server is out of reach.';

export const machineFlags = {
  'machine-creation-timeout': {
    group: 'Machines',
    kind: duration,
    default: '20m',
    says: 'A machine without a Node after this long is Failed.',
    only: 'worker',
  },
  'machine-health-timeout': {
    group: 'Machines',
    kind: duration,
    default: '10m',
    says: 'A machine that is unhealthy for this long is Failed.',
    only: 'worker',
  },
  'machine-drain-timeout': {
    group: 'Machines',
    kind: duration,
    default: '2h',
    says: 'A deletion that drains for longer than this is forced.',
    only: 'worker',
  },
  'machine-inplace-update-timeout': {
    group: 'Machines',
    kind: duration,
    default: '20m',
    says: 'A machine that is updated in place for longer than this is InPlaceUpdateFailed.',
    only: 'worker',
    noop: 'Millwright has no in-place updates yet.',
  },
  'machine-max-evict-retries': {
    group: 'Machines',
    kind: integer({ min: 0 }),
    default: '360',
    says: 'Refused evictions of a pod, counted as one every 20 s, before it is deleted without asking its PodDisruptionBudget.',
    only: 'worker',
  },
  'machine-pv-detach-timeout': {
    group: 'Machines',
    kind: duration,
    default: '2m',
    says: 'Wait for the volumes of an evicted pod to be detached, on top of its grace period.',
    only: 'worker',
  },
  'machine-pv-reattach-timeout': {
    group: 'Machines',
    kind: duration,
    default: '90s',
    says: 'Wait for the volumes of an evicted pod to be attached to another node.',
    only: 'worker',
  },
  'machine-preserve-timeout': {
    group: 'Machines',
    kind: duration,
    default: '96h',
    says: 'How long a preserved machine is kept.',
    only: 'worker',
  },
  'node-conditions': {
    group: 'Machines',
    kind: names,
    default: 'KernelDeadlock,ReadonlyFilesystem,DiskPressure,NetworkUnavailable',
    says: 'Conditions of a Node that make its machine unhealthy when True. Case sensitive; blanks around a name are dropped (MCM keeps them).',
    only: 'worker',
  },
  'bootstrap-token-auth-extra-groups': {
    group: 'Machines',
    kind: text,
    default: '',
    says: 'Groups, separated by commas, that a bootstrap token gives to a joining node.',
    only: 'worker',
  },
  'resource-exhausted-retry': {
    group: 'Machines',
    kind: duration,
    default: '10m',
    says: 'Wait before an instance is asked for again when the cloud had none left. 0: 10m.',
    only: 'worker',
  },
  'safety-up': {
    group: 'Safety',
    kind: integer({ min: 0 }),
    default: '2',
    says: 'Machines above desired + maxSurge at which creating is frozen.',
    only: 'worker',
    noop: notYet,
  },
  'safety-down': {
    group: 'Safety',
    kind: integer({ min: 0 }),
    default: '1',
    says: 'Machines below the limit of --safety-up at which creating goes on.',
    only: 'worker',
    noop: notYet,
  },
  'machine-safety-overshooting-period': {
    group: 'Safety',
    kind: duration,
    default: '1m',
    says: 'Time between two checks for too many machines.',
    only: 'worker',
    noop: notYet,
  },
  'machine-safety-orphan-vms-period': {
    group: 'Safety',
    kind: duration,
    default: '15m',
    says: 'Time between two searches for instances without a Machine.',
    only: 'worker',
    noop: notYet,
  },
  'machine-safety-apiserver-statuscheck-timeout': {
    group: 'Safety',
    kind: duration,
    default: '30s',
    says: 'Outage of an API server after which MCM freezes.',
    noop: alwaysLooks,
  },
  'machine-safety-apiserver-statuscheck-period': {
    group: 'Safety',
    kind: duration,
    default: '1m',
    says: 'Time between two looks at the API servers.',
    noop: alwaysLooks,
  },
} as const satisfies Record<string, Flag<unknown>>;
