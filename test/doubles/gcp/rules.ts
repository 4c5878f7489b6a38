/** Rules of `instances.insert` that a shape alone does not tell. A refusal has Google's reason. */
import { refuse } from './answers.ts';
import { faultsOf } from './shape.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';

export interface InstanceBody {
  name: string;
  machineType: string;
  disks: DiskBody[];
  labels?: Record<string, string>;
  tags?: { items?: string[] };
  networkInterfaces: { accessConfigs?: object[] }[];
  deletionProtection?: boolean;
  [field: string]: unknown;
}

export interface DiskBody {
  type?: string;
  boot?: boolean;
  autoDelete?: boolean;
  [field: string]: unknown;
}

const outputOnly = ['id', 'status', 'creationTimestamp', 'selfLink', 'zone', 'fingerprint'];
const resourceName = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

export function checkedInstance(body: unknown, zone: string): InstanceBody {
  if (!isRecord(body)) return refuse(400, 'parseError', 'Invalid JSON payload received.');
  const faults = faultsOf('Instance', body);
  const output = outputOnly.filter((name) => name in body);
  if (faults.length > 0) refuse(400, 'invalid', faults.join('; '));
  if (output.length > 0) refuse(400, 'invalid', `output only: ${output.join(', ')}`);
  const instance: InstanceBody = Object({ ...body });
  checkBasics(instance, zone);
  checkLabels(instance);
  checkMetadata(body['metadata']);
  checkScheduling(body['scheduling']);
  return instance;
}

function checkBasics(
  { name, machineType, disks, networkInterfaces, tags }: InstanceBody,
  zone: string,
): void {
  if (!resourceName.test(name ?? '')) invalid('name', name);
  if (!machineType?.startsWith(`zones/${zone}/machineTypes/`)) invalid('machineType', machineType);
  if (!networkInterfaces?.length) invalid('networkInterfaces', networkInterfaces);
  checkTags(tags?.items ?? []);
  checkDisks(disks ?? []);
}

function checkTags(tags: readonly string[]): void {
  const wrong = tags.find((tag) => !resourceName.test(tag));
  if (wrong !== undefined) invalid('tags.items', wrong);
}

function checkDisks(disks: readonly DiskBody[]): void {
  const isComplete = ({ type, source, initializeParams }: DiskBody): boolean =>
    type === 'SCRATCH' || source !== undefined || initializeParams !== undefined;
  if (!disks.some(({ boot }) => boot) || !disks.every(isComplete)) invalid('disks', disks);
}

export function checkLabels({ labels = {} }: Pick<InstanceBody, 'labels'>): void {
  const entries = Object.entries(labels);
  if (entries.length > 64) invalid('labels', `${entries.length} labels`);
  for (const [key, value] of entries) {
    if (!/^[a-z][a-z0-9_-]{0,62}$/.test(key)) invalid('labels', key);
    if (!/^[a-z0-9_-]{0,63}$/.test(value)) invalid(`labels.${key}`, value);
  }
}

function checkMetadata(metadata: unknown): void {
  const { items = [] }: { items?: { key: string }[] } = Object(metadata);
  const keys = items.map(({ key }) => key);
  const double = keys.find((key, index) => keys.indexOf(key) !== index);
  if (double !== undefined) invalid('metadata.items', `duplicate key ${double}`);
}

function checkScheduling(scheduling: unknown): void {
  const { preemptible, provisioningModel, onHostMaintenance, automaticRestart, ...rest } =
    Object(scheduling);
  const isSpot = provisioningModel === 'SPOT';
  if (rest.instanceTerminationAction && !isSpot) invalid('scheduling.instanceTerminationAction', 1);
  if (!isSpot && !preemptible) return;
  if (onHostMaintenance !== 'TERMINATE') invalid('scheduling.onHostMaintenance', onHostMaintenance);
  if (automaticRestart) invalid('scheduling.automaticRestart', automaticRestart);
}

function invalid(field: string, value: unknown): never {
  const words = `Invalid value for field 'resource.${field}': '${JSON.stringify(value)}'.`;
  return refuse(400, 'invalid', words);
}
