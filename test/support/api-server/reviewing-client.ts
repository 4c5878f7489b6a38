/** An API server in memory that answers reviews of rights. */
import { isRecord } from '../../../workflows/values/is-record.ts';
import { InMemoryClient } from './in-memory-client.ts';

type Attributes = Partial<Record<'verb' | 'resource' | 'subresource', string>>;

export class ReviewingClient extends InMemoryClient {
  /** Such as `patch machines/status`: what the caller may not do. */
  readonly refused = new Set<string>();

  override async create<T>(path: string, body: unknown): Promise<T>;
  override async create(path: string, body: unknown): Promise<unknown> {
    if (!path.endsWith('accessreviews')) return await super.create(path, body);
    const { verb, resource, subresource } = attributesIn(body);
    const right = `${verb} ${[resource, subresource].filter(Boolean).join('/')}`;
    return { status: { allowed: !this.refused.has(right) } };
  }
}

function attributesIn(body: unknown): Attributes {
  const spec = isRecord(body) && isRecord(body['spec']) ? body['spec'] : {};
  const { resourceAttributes } = spec;
  return isRecord(resourceAttributes) ? resourceAttributes : {};
}
