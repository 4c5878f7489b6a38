/** An API server in memory that answers reviews of rights. */
import { InMemoryClient } from './in-memory-client.ts';

interface Review {
  spec: { resourceAttributes: { verb: string; resource: string; subresource?: string } };
}

export class ReviewingClient extends InMemoryClient {
  /** Such as `patch machines/status`: what the caller may not do. */
  readonly refused = new Set<string>();

  override async create<T>(path: string, body: unknown): Promise<T>;
  override async create(path: string, body: unknown): Promise<unknown> {
    if (!path.endsWith('accessreviews')) return await super.create(path, body);
    const { verb, resource, subresource } = reviewIn(body).spec.resourceAttributes;
    const right = `${verb} ${[resource, subresource].filter(Boolean).join('/')}`;
    return { status: { allowed: !this.refused.has(right) } };
  }
}

function reviewIn(body: unknown): Review {
  return body as Review;
}
