/** `droplet_single_create` and `droplet` of the published description: rules and form. */
import { aText, anId, aTruth, eitherOf, listOf, type Rule } from '../rest/field-rules.ts';
import { Refusal } from '../rest/refusal.ts';
import type { StoredDroplet, Team } from './team.ts';

const uuid = aText(/^[0-9a-f-]{36}$/);

/** Plain text of at most 64 KiB. */
const userData: Rule = (value) =>
  typeof value === 'string' && Buffer.byteLength(value) <= 65_536
    ? undefined
    : 'must be plain text of at most 64 KiB';

export const createRules = {
  name: { rule: aText(/^[a-zA-Z0-9]?[a-z0-9A-Z.-]*[a-z0-9A-Z]$/), isNeeded: true },
  region: { rule: aText() },
  size: { rule: aText(), isNeeded: true },
  image: { rule: eitherOf(aText(), anId), isNeeded: true },
  ssh_keys: { rule: listOf(eitherOf(aText(), anId)) },
  backups: { rule: aTruth },
  ipv6: { rule: aTruth },
  monitoring: { rule: aTruth },
  tags: { rule: listOf(aText(/^[a-zA-Z0-9_\-:]+$/, 255)) },
  user_data: { rule: userData },
  private_networking: { rule: aTruth },
  volumes: { rule: listOf(uuid) },
  vpc_uuid: { rule: uuid },
  with_droplet_agent: { rule: aTruth },
  public_networking: { rule: aTruth },
};

const regions = ['fra1', 'nyc3'];
const sizes = ['s-2vcpu-4gb', 's-4vcpu-8gb', 'gpu-h100x1-80gb'];
const images = ['ubuntu-24-04-x64', 155_133_621];
const sshKeys = [289_794, '3b:16:e4:bf:8b:00:8b:b8:59:8c:a9:d3:f0:19:fa:45'];

function refuse(message: string): never {
  throw new Refusal(422, 'unprocessable_entity', message);
}

export function requireCatalog(team: Team, body: Readonly<Record<string, unknown>>): void {
  const { region, size, image, ssh_keys: keys, ipv6, public_networking: isPublic } = body;
  if (!regions.includes(String(region))) refuse('You specified an invalid region.');
  if (!sizes.includes(String(size))) refuse('You specified an invalid size for Droplet creation.');
  if (team.soldOut.has(String(size))) refuse('Size is not available in this region.');
  if (!images.some((one) => one === image))
    refuse('You specified an invalid image for Droplet creation.');
  const given: unknown[] = Array.isArray(keys) ? keys : [];
  const unknown = given.find((key) => !sshKeys.some((one) => one === key));
  if (unknown !== undefined)
    refuse(`${JSON.stringify(unknown)} are invalid key identifiers for Droplet creation.`);
  if (isPublic === false && ipv6 === true) refuse('ipv6 must be false without public networking');
}

export function droplet(stored: StoredDroplet) {
  const { id, name, status, isLocked, createdAt, shownTags, body, volumes } = stored;
  const { region, size, image, public_networking: isPublic = true } = body;
  return {
    id,
    name,
    memory: 4_096,
    vcpus: 2,
    disk: 80,
    disk_info: [{ type: 'local', size: { amount: 80, unit: 'gib' } }],
    locked: isLocked,
    status,
    kernel: null,
    created_at: createdAt.replace('+00:00', 'Z'),
    features: [],
    backup_ids: [],
    next_backup_window: null,
    snapshot_ids: [],
    image: { id: 155_133_621, name: '24.04 (LTS) x64', slug: image, distribution: 'Ubuntu' },
    volume_ids: volumes.map((volume) => volume.id),
    size: { slug: size, memory: 4_096, vcpus: 2, disk: 80, regions, available: true },
    size_slug: size,
    networks:
      status === 'new'
        ? { v4: [], v6: [] }
        : {
            v4: [
              {
                ip_address: `10.0.0.${id % 250}`,
                netmask: '255.255.0.0',
                gateway: '',
                type: 'private',
              },
              ...(isPublic === true
                ? [
                    {
                      ip_address: `192.0.2.${id % 250}`,
                      netmask: '255.255.255.0',
                      gateway: '192.0.2.1',
                      type: 'public',
                    },
                  ]
                : []),
            ],
            v6: [],
          },
    region: { name: region, slug: region, features: [], available: true, sizes },
    tags: shownTags,
    vpc_uuid: body['vpc_uuid'] ?? '760e09ef-dc84-11e8-981e-3cfdfeaae000',
  };
}
