/** The body of an instance, and instances as the frame and the core see them. */
import type { CreateRequest, Instance } from '../driver.ts';
import type { Death, Operation, Resource, State, TagSpelling } from '../frame/cloud.ts';
import { fault } from '../frame/fault.ts';
import { tagsFor, usualNames } from '../frame/tags.ts';
import { refusalOf } from './errors.ts';
import { specOf } from './validate.ts';

export const labelSpelling: TagSpelling = {
  word: 'label',
  names: usualNames,
  allowed: /^[-_./\\@0-9a-z]{1,63}$/,
  countMax: 64,
};

/** As the driver of 2020 sends it. */
export function bodyOf(folderId: string, request: CreateRequest): object {
  const spec = specOf(request.providerSpec);
  const { cores, coreFraction, memory, gpus } = spec.resourcesSpec;
  const { autoDelete = false, typeID, size, imageID: imageId } = spec.bootDiskSpec;
  const { preemptible = false } = spec.schedulingPolicy ?? {};
  const { name } = request.machine;
  return {
    folderId,
    name,
    hostname: name,
    labels: tagsFor(spec.labels ?? {}, request, labelSpelling),
    metadata: { ...spec.metadata, 'user-data': request.userData },
    zoneId: spec.zoneID,
    platformId: spec.platformID,
    resourcesSpec: {
      // Numbers of 64 bits are texts in the JSON of protobuf.
      cores: String(cores),
      memory: String(memory),
      ...(coreFraction && { coreFraction: String(coreFraction) }),
      ...(gpus && { gpus: String(gpus) }),
    },
    bootDiskSpec: {
      mode: 'READ_WRITE',
      autoDelete,
      diskSpec: { ...(typeID && { typeId: typeID }), size: String(size), imageId },
    },
    networkInterfaceSpecs: spec.networkInterfaceSpecs.map((card) => ({
      subnetId: card.subnetID,
      primaryV4AddressSpec: card.assignPublicIPAddress
        ? { oneToOneNatSpec: { ipVersion: 'IPV4' } }
        : {},
    })),
    schedulingPolicy: { preemptible },
  };
}

/** Of the cloud's instance only what is read here. */
interface WireInstance {
  id?: string;
  name?: string;
  zoneId?: string;
  status?: string;
  createdAt?: string;
  labels?: Record<string, string>;
  schedulingPolicy?: { preemptible?: boolean };
  networkInterfaces?: {
    primaryV4Address?: { address?: string; oneToOneNat?: { address?: string } };
  }[];
}

export interface YandexInstance extends Resource {
  uid: string;
  zone: string;
  wire: WireInstance;
}

export function viewOf(wire: WireInstance): YandexInstance {
  const { id = '', name = '', zoneId: zone = '', labels = {}, createdAt = '' } = wire;
  const at = Date.parse(createdAt) || undefined;
  return { ref: `${zone}/${name}`, uid: id, name, tags: labels, createdAt: at, zone, wire };
}

export const providerIDOf = ({ ref }: Pick<Resource, 'ref'>): string => `yandex://${ref}`;

/** `ZONE/NAME`: a name is unique in its folder. */
export function refIn(providerID: string): string {
  const [, ref] =
    /^yandex:\/\/([a-z][-a-z0-9]*\/[a-z]([-_a-z0-9]{0,61}[a-z0-9])?)$/.exec(providerID) ?? [];
  if (ref !== undefined) return ref;
  throw fault('input', `spec.providerID: "${providerID}" is not of the form yandex://ZONE/NAME`);
}

export function instanceOf(thing: YandexInstance): Instance {
  const cards = thing.wire.networkInterfaces ?? [];
  const addresses = cards.flatMap(({ primaryV4Address: { address, oneToOneNat } = {} }) => [
    ...(address ? [{ type: 'InternalIP', address }] : []),
    ...(oneToOneNat?.address ? [{ type: 'ExternalIP', address: oneToOneNat.address }] : []),
  ]);
  const isInitialized = true;
  return { providerID: providerIDOf(thing), nodeName: thing.name, addresses, isInitialized };
}

const states = new Map<string, State['is']>([
  ['RUNNING', 'ready'],
  ['STOPPING', 'failed'],
  ['STOPPED', 'failed'],
  ['ERROR', 'failed'],
  ['DELETING', 'going'],
]);

/** `CRASHED` is started again by the cloud. */
export function stateOf({ wire: { status = '' } }: YandexInstance): State {
  return { is: states.get(status) ?? 'coming', words: status };
}

export function deathOf(thing: YandexInstance): Death {
  const start = `instance ${thing.name} is ${stateOf(thing).words} before it was of use`;
  return thing.wire.schedulingPolicy?.preemptible
    ? { meaning: 'capacity', message: `${start}; Yandex Cloud stops preemptible instances` }
    : { meaning: 'conflict', message: `${start}; something has stopped it` };
}

const deeds = { make: 'create', remove: 'delete', retag: 'label' } as const;

export function operationOf(json: unknown): Operation {
  const { id, done, createdAt, modifiedAt, error } = Object(json);
  if (typeof id !== 'string') throw fault('unknown', 'Yandex Cloud: an operation without an id');
  const operation = {
    name: id,
    isDone: done === true,
    begunAt: Date.parse(createdAt) || undefined,
    endedAt: Date.parse(modifiedAt) || undefined,
  };
  if (!error) return operation;
  const { code: number, message } = Object(error);
  const { meaning, code, words } = refusalOf({ code: Number(number), message: String(message) });
  return {
    ...operation,
    isForNothing: meaning === 'missing',
    failure: (deed, name, settled) =>
      // An image or a subnet that the class names is not there.
      fault(
        meaning === 'missing' && deed === 'make' ? 'input' : meaning,
        `Yandex Cloud: ${deeds[deed]} instance ${name}: operation ${id} failed: ${code}: ${words}`,
        settled,
      ),
  };
}
