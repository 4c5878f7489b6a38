/** `cloudProvider: openstack` (machine-controller at f1068332) -> `provider: OpenStack`. */
import { missingTags, withoutAdded } from './class-tags.ts';
import { count, flag, off } from './read-values.ts';
import { FieldFault, type Fields, type ProviderTable, type Row } from './table.ts';

const uidKey = 'machine-uid';
/** They make it where a spec names no group: its members reach each other. */
const defaultGroup = 'kubernetes-v1';
const marks = { cluster: 'kubernetes.io-cluster-', role: 'kubernetes.io-role-' };

const ofOldProvider =
  'it was for a configuration of the cloud provider in Kubernetes itself, which machine-controller writes no more';
const ofWaiting = 'nothing is waited for with a fixed limit';

/** They take no user where there is an application credential. */
const ofUser = (value: unknown, { applicationCredentialID }: Fields): unknown =>
  applicationCredentialID ? undefined : value;

/** A project stands in one place. */
const none = (): undefined => undefined;

const rows: readonly Row[] = [
  {
    theirs: 'identityEndpoint',
    env: 'OS_AUTH_URL',
    secret: 'authURL',
    required: 'write the URL of Keystone, such as https://keystone.example.com:5000/v3',
  },
  {
    theirs: 'applicationCredentialID',
    env: 'OS_APPLICATION_CREDENTIAL_ID',
    secret: 'applicationCredentialID',
  },
  {
    theirs: 'applicationCredentialSecret',
    env: 'OS_APPLICATION_CREDENTIAL_SECRET',
    secret: 'applicationCredentialSecret',
    to: (value, { applicationCredentialID }) => (applicationCredentialID ? value : undefined),
  },
  { theirs: 'username', env: 'OS_USERNAME', secret: 'username', to: ofUser },
  { theirs: 'username', env: 'OS_USER_NAME', secret: 'username', to: ofUser },
  { theirs: 'password', env: 'OS_PASSWORD', secret: 'password', to: ofUser },
  { theirs: 'domainName', env: 'OS_DOMAIN_NAME', secret: 'domainName', to: ofUser },
  // The later row wins, as a project goes before a tenant.
  { theirs: 'tenantName', env: 'OS_TENANT_NAME', secret: 'tenantName', to: ofUser, back: none },
  { theirs: 'projectName', env: 'OS_PROJECT_NAME', secret: 'tenantName', to: ofUser },
  { theirs: 'tenantID', env: 'OS_TENANT_ID', secret: 'tenantID', to: ofUser, back: none },
  { theirs: 'projectID', env: 'OS_PROJECT_ID', secret: 'tenantID', to: ofUser },
  {
    theirs: 'tokenId',
    secret: 'token',
    to() {
      throw new FieldFault(
        'cannot be said: a token of Keystone ends after hours. Write applicationCredentialID and applicationCredentialSecret',
      );
    },
  },
  {
    theirs: 'region',
    env: 'OS_REGION_NAME',
    ours: 'spec.region',
    required: 'write one that `openstack region list` shows',
  },
  {
    theirs: 'computeAPIVersion',
    ignored: 'the driver asks for the version of the API that it is written for, 2.52',
  },
  { theirs: 'instanceReadyCheckPeriod', ignored: ofWaiting },
  { theirs: 'instanceReadyCheckTimeout', ignored: ofWaiting },
  { theirs: 'image', ours: 'spec.imageName', required: 'write the name of an image' },
  { theirs: 'flavor', ours: 'spec.flavorName', required: 'write the name of a flavor' },
  { theirs: 'securityGroups', ours: 'spec.securityGroups', default: [defaultGroup] },
  {
    theirs: 'network',
    ours: 'spec.networks',
    to: (_value, spec) => networksOf(spec),
    back: (given) => (namesOf(given).length === 1 ? namesOf(given)[0] : undefined),
  },
  {
    theirs: 'networks',
    ours: 'spec.networks',
    to: (_value, spec) => networksOf(spec),
    back: (given) => (namesOf(given).length > 1 ? namesOf(given) : undefined),
  },
  {
    theirs: 'subnet',
    ignored:
      'machine-controller checks that there is such a subnet and does not use it: Neutron chooses one of the network, here too',
  },
  {
    theirs: 'floatingIpPool',
    refused:
      'servers get no floating IP. Reach them by way of a router or a load balancer, and remove the field',
  },
  {
    theirs: 'availabilityZone',
    ours: 'spec.availabilityZone',
    required: 'write one that `openstack availability zone list --compute` shows',
  },
  { theirs: 'trustDevicePath', ignored: ofOldProvider },
  { theirs: 'rootDiskSizeGB', ours: 'spec.rootDiskSize', to: count },
  { theirs: 'rootDiskVolumeType', ours: 'spec.rootDiskType' },
  { theirs: 'nodeVolumeAttachLimit', ignored: ofOldProvider },
  { theirs: 'serverGroup', ours: 'spec.serverGroupID' },
  { theirs: 'configDrive', ours: 'spec.useConfigDrive', to: flag },
  {
    theirs: 'disablePortSecurity',
    refused:
      'ports keep their security. Let the network of pods use a tunnel (VXLAN, Geneve), or make a pool of Millwright whose class has podNetworkCIDRs',
    harmless: off,
  },
  { theirs: 'tags', ours: 'spec.tags', to: knownTags, back: withoutAdded },
];

export const openstack: ProviderTable = {
  cloudProvider: 'openstack',
  provider: 'OpenStack',
  rows,
  more(spec, { cluster }) {
    return {
      providerSpec: {
        apiVersion: 'openstack.machine.gardener.cloud/v1alpha1',
        kind: 'MachineProviderConfig',
        spec: {
          // SSH keys are in the user data, and ports let pass what is in tunnels.
          keyName: '',
          podNetworkCIDRs: [],
          tags: missingTags(spec['tags'], {
            [marks.cluster]: `${marks.cluster}${cluster}`,
            [marks.role]: `${marks.role}node`,
          }),
        },
      },
      faults: networksOf(spec).length > 0 ? [] : [networkIsMissing],
      ignored: namesIn(spec['securityGroups']).length > 0 ? [] : [groupIsNotMade],
    };
  },
  findsInstanceBy: {
    tag: uidKey,
    command: (id, uid) => `openstack server set --property ${uidKey}=${uid} ${idIn(id)}`,
  },
  providerID(theirs, { spec }) {
    const id = /^openstack:\/\/\/(?:[^/]+\/)?([0-9a-f-]{36})$/.exec(theirs)?.[1];
    if (id === undefined) return { fault: `"${theirs}" is not of the form openstack:///UUID` };
    return { value: `openstack:///${Object(spec)['region']}/${id}` };
  },
  providerIDBack: (ours) => `openstack:///${idIn(ours)}`,
};

const networkIsMissing =
  'cloudProviderSpec.network is missing: write one that `openstack network list` shows, by its name or ID';

const groupIsNotMade = `cloudProviderSpec.securityGroups: the group ${defaultGroup} is taken and, unlike with machine-controller, not made: make it where it is not there, or name others`;

const idIn = (providerID: string): string => providerID.slice(providerID.lastIndexOf('/') + 1);

const namesIn = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((one) => typeof one === 'string' && one !== '') : [];

/** The first network is that of `network`. */
function networksOf({ network, networks }: Fields): object[] {
  const names = new Set([...namesIn([network]), ...namesIn(networks)]);
  return [...names].map((name) =>
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name) ? { id: name } : { name },
  );
}

const namesOf = (networks: unknown): string[] =>
  namesIn([networks].flat().map((one) => Object(one)['id'] ?? Object(one)['name']));

function knownTags(tags: unknown): unknown {
  const keys = Object.keys(Object(tags));
  if (keys.includes(uidKey)) throw new FieldFault(`has the key ${uidKey}, which is reserved`);
  const isMarked = Object.values(marks).every((mark) => keys.some((key) => key.includes(mark)));
  if (!isMarked) return tags;
  throw new FieldFault(
    `has keys with ${marks.cluster} and with ${marks.role}: by both Millwright knows its own servers, and would take those of machine-controller for such. Rename one`,
  );
}
