/**
 * A list in pages whose size follows the size of the objects: 500 small ones, or one at a time of
 * 1.5 MB.
 */
import { isAnswerTooLarge, isConnectTimeout, isTimedOut, tooLarge } from './errors.ts';

export interface Page<K> {
  /** `remainingItemCount`: how many come after this page, of a list without selectors. */
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  /** Null for an empty list of metadata. */
  items: K[] | null;
}

export interface PageQuery {
  limit: number;
  continue?: string | undefined;
}

const largest = 500;
/** With each page that comes. */
const growth = 1.1;

/** With one object a page as many as a cluster has; a server that is none may send no last one. */
const mostPages = 20_000;

/** How many objects the next page may have. Kept between lists of one resource. */
export class PageSize {
  readonly path: string;
  #limit = largest;

  constructor(path: string) {
    this.path = path;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Half as many. False where a page has one object already. */
  shrink(): boolean {
    if (this.#limit === 1) return false;
    this.#limit = Math.floor(this.#limit / 2);
    return true;
  }

  grow(): void {
    this.#limit = Math.min(largest, Math.ceil(this.#limit * growth));
  }
}

/**
 * One page after the other. A page that is too large or takes too long is asked for again, smaller.
 */
export async function* pagesOf<K>(
  read: (query: PageQuery) => Promise<Page<K>>,
  size: PageSize,
): AsyncGenerator<Page<K>> {
  let next: string | undefined;
  let pages = 0;
  do {
    pages += 1;
    if (pages > mostPages) throw tooLarge(size.path, `it has more than ${mostPages} pages`);
    const page = await pageAt(read, size, next);
    yield page;
    size.grow();
    next = page.metadata.continue;
  } while (next);
}

async function pageAt<K>(
  read: (query: PageQuery) => Promise<Page<K>>,
  size: PageSize,
  next: string | undefined,
): Promise<Page<K>> {
  for (;;) {
    try {
      // A continue token holds for any limit.
      return await read({ limit: size.limit, continue: next });
    } catch (error) {
      // Where no connection came about, a smaller page would wait as long.
      const isTooMuch = isAnswerTooLarge(error) || (isTimedOut(error) && !isConnectTimeout(error));
      if (!isTooMuch || !size.shrink()) throw error;
    }
  }
}
