/** What a project of the double finds at the start, in the form of Hetzner's API. */

export const locations = [
  {
    id: 1,
    name: 'fsn1',
    description: 'Falkenstein DC Park 1',
    country: 'DE',
    city: 'Falkenstein',
    latitude: 50.47612,
    longitude: 12.370071,
    network_zone: 'eu-central',
  },
  {
    id: 3,
    name: 'hel1',
    description: 'Helsinki DC Park 1',
    country: 'FI',
    city: 'Helsinki',
    latitude: 60.169855,
    longitude: 24.938379,
    network_zone: 'eu-central',
  },
];

const price = { net: '1.0000000000', gross: '1.1900000000' };

/** `locations`: where it can be had. */
function serverType(id: number, name: string, at: readonly string[]) {
  return {
    id,
    name,
    description: name.toUpperCase(),
    category: 'Shared vCPU',
    cores: 4,
    memory: 8,
    disk: 80,
    storage_type: 'local',
    cpu_type: 'shared',
    architecture: 'x86',
    deprecated: false,
    deprecation: null,
    prices: at.map((location) => ({
      location,
      price_hourly: price,
      price_monthly: price,
      included_traffic: 21_990_232_555_520,
      price_per_tb_traffic: price,
    })),
    locations: locations
      .filter((location) => at.includes(location.name))
      .map(({ id: of, name: where }) => ({
        id: of,
        name: where,
        recommended: true,
        available: true,
        deprecation: null,
      })),
  };
}

export const serverTypes = [
  serverType(104, 'cx32', ['fsn1', 'hel1']),
  serverType(109, 'cpx41', ['fsn1']),
];

function image(id: number, name: string | null) {
  return {
    id,
    name,
    type: name === null ? 'snapshot' : 'system',
    status: 'available',
    description: name ?? 'a snapshot',
    image_size: 2.3,
    disk_size: 10,
    created: '2024-04-25T13:26:27+00:00',
    created_from: null,
    bound_to: null,
    os_flavor: 'ubuntu',
    os_version: '24.04',
    architecture: 'x86',
    rapid_deploy: name !== null,
    protection: { delete: false },
    deprecated: null,
    deleted: null,
    labels: {},
  };
}

export const images = [image(161_547_269, 'ubuntu-24.04'), image(4_711, null)];

export const sshKeys = [
  {
    id: 21,
    name: 'operators',
    fingerprint: 'b7:2f:30:a0:2f:6c:58:6c:21:04:58:61:ba:06:3b:2f',
    public_key: 'ssh-rsa AAAjjk76kgf...Xt',
    labels: {},
    created: '2024-01-30T23:55:00+00:00',
  },
];

export const networks = [
  {
    id: 4_712,
    name: 'shoot',
    ip_range: '10.0.0.0/16',
    subnets: [
      {
        type: 'cloud',
        ip_range: '10.0.1.0/24',
        network_zone: 'eu-central',
        gateway: '10.0.0.1',
        vswitch_id: null,
      },
    ],
    routes: [],
    servers: [],
    load_balancers: [],
    protection: { delete: false },
    labels: {},
    created: '2024-01-30T23:50:00+00:00',
    expose_routes_to_vswitch: false,
  },
];

export const firewallIds: readonly number[] = [38];

/** Of a spread group Hetzner puts each server on another host, and at most ten. */
export const placementGroupIds: readonly number[] = [897];
export const placementGroupMax = 10;
