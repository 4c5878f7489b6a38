/** `cloudProvider: gce` (machine-controller at f1068332) -> `provider: GCP`. */
import { isRecord } from '../../../workflows/values/is-record.ts';
import { parsedJson } from '../../../workflows/values/parsed-json.ts';
import { addressFamilies, count, flag, isOff, isOn } from './read-values.ts';
import { FieldFault, type Fields, type ProviderTable, type Row } from './table.ts';

const boot = 'disks.0';
const card = 'networkInterfaces.0';

const ofCloudConfig = 'machine-controller does not use it for machines either';

const rows: readonly Row[] = [
  {
    theirs: 'serviceAccount',
    env: 'GOOGLE_SERVICE_ACCOUNT',
    secret: 'serviceAccountJSON',
    required: 'write the key of a service account, or set GOOGLE_SERVICE_ACCOUNT of the front',
    to: keyText,
    back: (json) => Buffer.from(String(json)).toString('base64'),
  },
  { theirs: 'zone', ours: 'zone', required: 'write one, such as europe-west1-b' },
  { theirs: 'machineType', ours: 'machineType', required: 'write one, such as n2-standard-4' },
  {
    theirs: 'diskSize',
    ours: `${boot}.sizeGb`,
    default: 25,
    to: (size) => count(size) ?? 25,
  },
  { theirs: 'diskType', ours: `${boot}.type`, default: 'pd-standard' },
  {
    theirs: 'network',
    ours: `${card}.network`,
    to: (network, spec) => nameOf(network, spec, 'global/networks'),
    back: (name) => `global/networks/${String(name)}`,
  },
  {
    theirs: 'subnetwork',
    ours: `${card}.subnetwork`,
    to: (subnetwork, spec) => nameOf(subnetwork, spec, `regions/${regionOf(spec)}/subnetworks`),
    back: (name, { region }) => `regions/${String(region)}/subnetworks/${String(name)}`,
  },
  { theirs: 'preemptible', ours: 'scheduling.preemptible', to: flag },
  { theirs: 'automaticRestart', ours: 'scheduling.automaticRestart', to: flag },
  { theirs: 'provisioningModel', ours: 'scheduling.provisioningModel', to: knownModel },
  { theirs: 'labels', ours: 'labels' },
  { theirs: 'tags', ours: 'tags', back: withoutAdded },
  {
    theirs: 'assignPublicIPAddress',
    ours: `${card}.disableExternalIP`,
    default: true,
    to: (value) => !flag(value),
    back: (isPrivate) => isPrivate !== true,
  },
  { theirs: 'multizone', ignored: ofCloudConfig },
  { theirs: 'regional', ignored: ofCloudConfig },
  {
    theirs: 'customImage',
    ours: `${boot}.image`,
    to: (image) => (String(image).startsWith('projects/') ? image : `${ownImages}${String(image)}`),
    back: (image) =>
      familyOf.has(String(image)) ? undefined : String(image).replace(ownImages, ''),
  },
  {
    theirs: 'disableMachineServiceAccount',
    ours: 'serviceAccounts',
    default: false,
    to: (value, spec) => (flag(value) ? undefined : [{ email: emailOf(spec), scopes }]),
    back: () => false,
  },
  {
    theirs: 'enableNestedVirtualization',
    ours: 'advancedMachineFeatures.enableNestedVirtualization',
    to: flag,
  },
  { theirs: 'minCPUPlatform', ours: 'minCpuPlatform' },
  {
    theirs: 'guestOSFeatures',
    refused:
      'the driver sets no features of a boot disk. Set them on an image of yours (gcloud compute images create --guest-os-features), and name it in customImage',
  },
  { theirs: 'projectID', secret: 'projectID' },
];

const ownImages = 'global/images/';

/** Images that they take where a template names none. */
const images: Readonly<Record<string, string>> = {
  ubuntu: 'projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64',
  flatcar: 'projects/kinvolk-public/global/images/family/flatcar-stable',
};
const familyOf = new Set(Object.values(images));

/** Rights of programs on their machines. */
const scopes = [
  'cloud-platform',
  'monitoring',
  'monitoring.read',
  'monitoring.write',
  'compute',
  'devstorage.read_only',
  'logging.write',
].map((scope) => `https://www.googleapis.com/auth/${scope}`);

/** Of network tags that are added; our driver looks for what follows within a tag. */
const added = 'front-';

export const gce: ProviderTable = {
  cloudProvider: 'gce',
  provider: 'GCP',
  rows,
  more(spec, { cluster, operatingSystem, network }) {
    const image = spec['customImage'] ? undefined : images[operatingSystem];
    const hasNetwork = Boolean(spec['network']) || Boolean(spec['subnetwork']);
    const { v4, v6 } = addressFamilies(network?.ipFamily);
    const isPublic = !isOff(spec['assignPublicIPAddress']);
    const tags: unknown[] = Array.isArray(spec['tags']) ? spec['tags'] : [];
    return {
      providerSpec: {
        region: regionOf(spec),
        disks: [{ boot: true, autoDelete: true, ...(image !== undefined && { image }) }],
        networkInterfaces: [
          {
            ...(!hasNetwork && { network: 'default' }),
            // As theirs: Google's IPv6 addresses are public ones.
            ...(v6 && isPublic && { stackType: 'IPV4_IPV6', ipv6accessType: 'EXTERNAL' }),
          },
        ],
        scheduling: schedulingOf(spec),
        tags: [...tags, ...missingTags(tags, cluster)],
      },
      faults: [
        ...(spec['serviceAccount'] && keyOf(spec)['client_email'] === undefined
          ? [
              'cloudProviderSpec.serviceAccount is not the key of a service account, as JSON or base64',
            ]
          : []),
        ...(image === undefined && !spec['customImage']
          ? [
              `cloudProviderSpec.customImage is missing: machine-controller knows none for ${operatingSystem}. Write the name of an image in the project`,
            ]
          : []),
        ...(v4 ? [] : ['network.ipFamily: Google gives each instance an IPv4 address']),
      ],
    };
  },
  moreBack: ({ serviceAccounts }) =>
    serviceAccounts === undefined ? { disableMachineServiceAccount: true } : {},
  findsInstanceBy: {
    tag: 'machine_uid',
    command(providerID, uid) {
      const [project, zone, name] = placeOf(providerID);
      return `gcloud compute instances add-labels ${name} --project ${project} --zone ${zone} --labels machine_uid=${uid}`;
    },
  },
  // Theirs has two slashes, where ours has three.
  providerID(theirs) {
    const [project, zone, name] = placeOf(theirs);
    if (name !== undefined) return { value: `gce:///${project}/${zone}/${name}` };
    return { fault: `"${theirs}" is not of the form gce://PROJECT/ZONE/NAME` };
  },
  providerIDBack: (ours) => ours.replace(/^gce:\/\/\//, 'gce://'),
};

function placeOf(providerID: string): [project: string, zone: string, name: string] | [] {
  const form = /^gce:\/\/\/?([a-z0-9.:-]+)\/([a-z0-9-]+)\/([a-z0-9-]+)$/;
  const [, project, zone, name] = form.exec(providerID) ?? [];
  if (project === undefined || zone === undefined || name === undefined) return [];
  return [project, zone, name];
}

/** Also in base64. Theirs goes to another project where `projectID` names one. */
function keyText(written: unknown, { projectID }: Fields): string {
  const given = String(written);
  const isEncoded = /^[A-Za-z0-9+/\s]+=*\s*$/.test(given);
  const text = isEncoded ? Buffer.from(given, 'base64').toString() : given;
  const key = parsed(text);
  if (!projectID || key['project_id'] === projectID) return text;
  return JSON.stringify({ ...key, project_id: projectID });
}

function keyOf(spec: Fields): Fields {
  return parsed(keyText(spec['serviceAccount'], spec));
}

function parsed(text: string): Fields {
  const key = parsedJson(text);
  return isRecord(key) ? key : {};
}

function emailOf(spec: Fields): string {
  const { client_email: email = '' } = keyOf(spec);
  return String(email);
}

function regionOf({ zone = '' }: Fields): string {
  return String(zone).replace(/-[a-z0-9]+$/, '');
}

/** Ours takes the name alone, and looks in the project of the credentials. */
function nameOf(written: unknown, spec: Fields, collection: string): string {
  const path = String(written).replace(/^https:\/\/[^/]+\/compute\/[^/]+\//, '');
  const [, project, rest = path] = /^projects\/([^/]+)\/(.+)$/.exec(path) ?? [];
  if (project !== undefined && project !== keyOf(spec)['project_id']) {
    throw new FieldFault(
      'is in another project: the driver uses networks of its own project alone',
    );
  }
  const name = rest.startsWith(`${collection}/`) ? rest.slice(collection.length + 1) : rest;
  if (!name.includes('/')) return name;
  throw new FieldFault(`is not of the form ${collection}/NAME`);
}

function knownModel(model: unknown): unknown {
  if (model === 'STANDARD' || model === 'SPOT') return model;
  throw new FieldFault('is neither STANDARD nor SPOT');
}

/** Theirs leaves to Google what the driver needs. */
function schedulingOf({ preemptible, provisioningModel, automaticRestart, machineType }: Fields) {
  const isSpot = provisioningModel === 'SPOT' || isOn(preemptible);
  // Accelerators, and machines without a hypervisor.
  const isFixed = /^(?:a\d|ct\d|g[2-9]|h\d)|-metal$/.test(String(machineType));
  return {
    onHostMaintenance: isSpot || isFixed ? 'TERMINATE' : 'MIGRATE',
    ...((automaticRestart ?? '') === '' && { automaticRestart: !isSpot }),
  };
}

function missingTags(tags: readonly unknown[], cluster: string): string[] {
  const marks = { 'kubernetes-io-cluster-': cluster, 'kubernetes-io-role-': 'node' };
  return Object.entries(marks)
    .filter(([mark]) => !tags.some((tag) => String(tag).includes(mark)))
    .map(([mark, end]) => `${added}${mark}${end}`);
}

function withoutAdded(tags: unknown): unknown {
  const kept = Array.isArray(tags) ? tags.filter((tag) => !String(tag).startsWith(added)) : [];
  return kept.length === 0 ? undefined : kept;
}
