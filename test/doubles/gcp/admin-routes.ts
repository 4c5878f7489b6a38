/** What a test asks of the double itself: `/_double/...`. */
import type { HttpAnswer } from './answers.ts';
import type { Cloud } from './cloud.ts';
import type { Fault, Faults } from './faults.ts';
import { checkedInstance } from './rules.ts';

export interface SeenCall {
  operation: string;
  name?: string | undefined;
  method: string;
  path: string;
  requestId?: string;
  status: number;
}

export interface AdminWorld {
  cloud: Cloud;
  faults: Faults;
  calls: SeenCall[];
  now: () => number;
}

interface Placed {
  project: string;
  zone: string;
  instance: unknown;
}

/**
 * `POST faults` a Fault, `DELETE faults`, `GET instances`, `POST instances` what somebody else
 * made, `GET disks`, `GET calls`.
 */
export function administer(world: AdminWorld, call: string, body: unknown): HttpAnswer {
  const { cloud, faults, calls, now } = world;
  cloud.advance(now());
  switch (call) {
    case 'POST /_double/faults': {
      const fault: Fault = Object(body);
      faults.add(fault);
      return { status: 200, body: {} };
    }
    case 'DELETE /_double/faults':
      faults.clear();
      return { status: 200, body: {} };
    case 'GET /_double/instances':
      return { status: 200, body: { instances: cloud.instances } };
    case 'POST /_double/instances': {
      const { project, zone, instance }: Placed = Object(body);
      const begin = { requestId: undefined, now: now(), faults: [] };
      cloud.insert({ project, zone }, checkedInstance(instance, zone), begin);
      return { status: 200, body: {} };
    }
    case 'GET /_double/disks':
      return { status: 200, body: { disks: cloud.disks } };
    case 'GET /_double/calls':
      return {
        status: 200,
        body: { calls, insertsByName: Object.fromEntries(cloud.insertsByName) },
      };
    default:
      return { status: 404, body: { error: `${call} is not served` } };
  }
}
