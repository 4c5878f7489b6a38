/**
 * The state of the double: instances, disks and the table of client tokens. Work goes on with time,
 * which is handed in, in milliseconds.
 */
import { isTrue, itemsOf } from './model.ts';
import { Refusal } from '../rest/refusal.ts';

export interface StoredInstance {
  id: string;
  name: string;
  region: string;
  query: Readonly<Record<string, string>>;
  tags: Record<string, string>;
  createdAt: number;
  /** Of its deletion; undefined: none was asked for. */
  deletedAt?: number;
  /** It ends by itself: stopped, or gone. */
  dies?: { at: number; is: 'Stopped' | 'gone' };
  isProtected?: boolean;
  /** What it has printed. */
  console?: string;
  locks?: string[];
}

export interface StoredDisk {
  name: string;
  instance: string;
  goesWithInstance: boolean;
}

export interface CloudTimes {
  /** From the answer until it is listed. */
  unseen: number;
  pending: number;
  starting: number;
  stopping: number;
}

type Query = Readonly<Record<string, string>>;

export class Cloud {
  instances: StoredInstance[] = [];
  disks: StoredDisk[] = [];
  /** How many instances each name has had. */
  readonly madeByName = new Map<string, number>();
  readonly #tokens = new Map<string, { body: string; id: string }>();
  readonly #times: CloudTimes;
  #count = 0;

  constructor(times: CloudTimes) {
    this.#times = times;
  }

  run(query: Query, now: number): string {
    const { ClientToken: token = '', InstanceName: name = '', RegionId: region = '' } = query;
    const body = JSON.stringify(Object.entries(query).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const known = token === '' ? undefined : this.#tokens.get(token);
    if (known && known.body !== body) {
      throw new Refusal(
        400,
        'IdempotentParameterMismatch',
        'The specified clientToken is used with different parameters.',
      );
    }
    if (known) return known.id;
    this.#count += 1;
    const id = `i-gw8${String(this.#count).padStart(17, '0')}`;
    const tags = Object.fromEntries(
      itemsOf(query, 'Tag').map(({ Key: key = '', Value: value = '' }) => [key, value]),
    );
    this.instances.push({ id, name, region, query, tags, createdAt: now });
    for (const disk of itemsOf(query, 'DataDisk')) {
      const goesWithInstance = isTrue(disk['DeleteWithInstance'] ?? 'true');
      this.disks.push({ name: disk['DiskName'] ?? '', instance: id, goesWithInstance });
    }
    this.#tokens.set(token, { body, id });
    this.madeByName.set(name, (this.madeByName.get(name) ?? 0) + 1);
    return id;
  }

  statusOf({ createdAt, deletedAt, dies }: StoredInstance, now: number): string {
    if (deletedAt !== undefined) return 'Stopping';
    if (dies && dies.at <= now) return 'Stopped';
    const { pending, starting } = this.#times;
    if (now < createdAt + pending) return 'Pending';
    return now < createdAt + pending + starting ? 'Starting' : 'Running';
  }

  shown(now: number): StoredInstance[] {
    this.#advance(now);
    return this.instances.filter(({ createdAt }) => createdAt + this.#times.unseen <= now);
  }

  find(id: string, now: number): StoredInstance {
    const found = this.shown(now).find((instance) => instance.id === id);
    if (found) return found;
    throw new Refusal(
      404,
      'InvalidInstanceId.NotFound',
      'The specified InstanceId does not exist.',
    );
  }

  delete(id: string, isForced: boolean, now: number): void {
    const instance = this.find(id, now);
    if (instance.isProtected) {
      throw new Refusal(
        403,
        'InvalidOperation.DeletionProtection',
        'The operation is not allowed due to deletion protection.',
      );
    }
    const status = this.statusOf(instance, now);
    if (status === 'Pending') {
      throw new Refusal(
        403,
        'IncorrectInstanceStatus.Initializing',
        'The specified instance status does not support this operation.',
      );
    }
    if (status === 'Stopping' || status === 'Starting' || (status === 'Running' && !isForced)) {
      throw new Refusal(
        403,
        'IncorrectInstanceStatus',
        'The current status of the resource does not support this operation.',
      );
    }
    instance.deletedAt = now;
    this.#advance(now);
  }

  #advance(now: number): void {
    const isGone = ({ deletedAt = Number.POSITIVE_INFINITY, dies }: StoredInstance): boolean =>
      deletedAt + this.#times.stopping <= now || (dies?.is === 'gone' && dies.at <= now);
    const gone = new Set(this.instances.filter(isGone).map(({ id }) => id));
    this.instances = this.instances.filter(({ id }) => !gone.has(id));
    this.disks = this.disks.filter((disk) => !disk.goesWithInstance || !gone.has(disk.instance));
  }
}
