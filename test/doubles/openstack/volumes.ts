/** Cinder. */
import { randomUUID } from 'node:crypto';
import type { Answer, Asked, World } from './answers.ts';
import { fieldsOf, refuse, requireKnown } from './answers.ts';

const volumeFields = ['name', 'size', 'volume_type', 'availability_zone', 'metadata', 'imageRef'];

export function createVolumes(world: World, slowness: number): (asked: Asked) => Answer {
  return ({ method, path, body }) => {
    const [, , id = '', action] = path.split('/');
    if (method === 'POST' && id === '') return create(world, body, slowness);
    if (id === 'detail') {
      // As where the operator has not allowed filters: none counts.
      const volumes = [...world.volumes.values()].map(({ fields }) => fields);
      return { status: 200, body: { volumes } };
    }
    const held = world.volumes.get(id);
    if (!held) refuse(404, 'itemNotFound', `Volume ${id} could not be found.`);
    const { fields } = held;
    if (action === 'metadata') {
      fields['metadata'] = { ...fieldsOf(fields['metadata']), ...fieldsOf(body['metadata']) };
      return { status: 200, body: { metadata: fields['metadata'] } };
    }
    if (method === 'DELETE') {
      if (fields['status'] !== 'available' && fields['status'] !== 'error') {
        refuse(400, 'badRequest', 'Invalid volume: Volume status must be available or error');
      }
      Object.assign(fields, { status: 'deleting' });
      held.isGoing = true;
      held.looks = slowness;
      return { status: 202 };
    }
    held.looks -= 1;
    if (held.looks < 0 && held.isGoing) {
      world.volumes.delete(id);
      refuse(404, 'itemNotFound', `Volume ${id} could not be found.`);
    }
    if (held.looks < 0 && fields['status'] === 'creating') fields['status'] = 'available';
    return { status: 200, body: { volume: fields } };
  };
}

function create(world: World, body: Record<string, unknown>, slowness: number): Answer {
  requireKnown(body['volume'], volumeFields);
  const asked = fieldsOf(body['volume']);
  if (Number(asked['size']) > 10_000) {
    const message =
      'VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed gigabytes quota. Requested 20000G, quota is 10000G and 0G has been consumed.';
    refuse(413, 'overLimit', message);
  }
  const id = randomUUID();
  const created = new Date().toISOString().replace('Z', '000');
  const fields = { ...asked, id, status: 'creating', created_at: created };
  world.volumes.set(id, { looks: slowness, fields });
  return { status: 202, body: { volume: fields } };
}
